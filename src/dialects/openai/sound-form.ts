import { createHash } from 'node:crypto'
import { isRecord, JsonReader } from '../../lib/index.ts'
import type { FormMade } from '../dialect.ts'
import { GatewayFields, isGatewayField } from '../gateway-fields.ts'
import { enterBody, readJsonBody } from '../read-json-body.ts'
import { RequestProblem } from '../request-problem.ts'
import { openForm } from './open-form.ts'

const SOUND = 'input_audio'
const CALLER = 'user' // OpenRouter tells it to no provider
/** It becomes part of the file's name, by which providers know what a sound is. */
const FORMAT = /^[a-z0-9]{1,16}$/i
const NAME = /^(?!file$)[\w.-]{1,64}$/ // the sound is the file
const CRLF = '\r\n'

/**
 * A transcription that is asked in OpenRouter's JSON, as the form that says the same: `input_audio` (`data` in base64, `format`) is its `file`, the other
 * fields are fields, lists several of them (`name[]`); wishes about routing are read as in every body. The same JSON makes the same bytes.
 * Throws `invalid_json`, `duplicate_field`, and `invalid_request` with its `param`.
 */
export function soundForm(json: Uint8Array): FormMade {
  const { fields, sound, wishes } = readJsonBody(json, () => read(json))
  const boundary = `anyrouter-${createHash('sha256').update(json).digest('hex').slice(0, 32)}`
  const part = (head: string, content: Uint8Array | string): Uint8Array[] => [
    Buffer.from(`--${boundary}${CRLF}content-disposition: form-data; ${head}${CRLF}${CRLF}`),
    typeof content === 'string' ? Buffer.from(content) : content,
    Buffer.from(CRLF),
  ]
  const file = `name="file"; filename="audio.${sound.format}"${CRLF}content-type: application/octet-stream`
  const body = Buffer.concat([
    ...fields.flatMap(([name, text]) => part(`name="${name}"`, text)),
    ...part(file, sound.bytes),
    Buffer.from(`--${boundary}--${CRLF}`),
  ])
  const form = openForm('audio.transcriptions', `multipart/form-data; boundary=${boundary}`, wishes)
  form.push(body)
  form.end()
  return { form, body }
}

type Field = readonly [name: string, text: string]

interface Sound {
  readonly bytes: Uint8Array
  readonly format: string
}

function read(json: Uint8Array) {
  const reader = new JsonReader(json)
  const problem = new RequestProblem()
  const gateway = new GatewayFields(reader, problem)
  const values = new Map<string, unknown>()
  enterBody(reader)
  while (reader.nextKey()) {
    const name = reader.keyText()
    if (isGatewayField(name)) {
      gateway.read(name)
      continue
    }
    reader.skip()
    if (values.has(name)) problem.duplicate(name)
    values.set(name, reader.value())
  }
  reader.finish()
  const [model] = gateway.models
  if (model !== undefined && !values.has('model')) values.set('model', model)
  const sound = readSound(values.get(SOUND), problem)
  const fields = [...values].flatMap(([name, value]) => fieldsOf(name, value, problem))
  problem.raise()
  return { fields, sound, wishes: gateway.wishes(json, String(values.get('model'))) }
}

const NO_SOUND: Sound = { bytes: new Uint8Array(0), format: '' }

function readSound(value: unknown, problem: RequestProblem): Sound {
  const { data, format } = isRecord(value) ? value : { data: null, format: null }
  if (!isRecord(value))
    problem.missing(SOUND, 'the sound: its `data` in base64, and its `format`; or send a form, multipart/form-data')
  else if (typeof data !== 'string' || data === '') problem.missing(`${SOUND}.data`, 'in base64')
  else if (typeof format !== 'string' || !FORMAT.test(format))
    problem.invalid(`${SOUND}.format`, `Invalid '${SOUND}.format': expected a short name, such as 'wav' or 'mp3'.`)
  else {
    const bytes = decoded(data)
    if (bytes !== null) return { bytes, format: format.toLowerCase() }
    problem.invalid(`${SOUND}.data`, `Invalid '${SOUND}.data': expected base64, without 'data:' before it.`)
  }
  return NO_SOUND
}

function decoded(base64: string): Uint8Array | null {
  try {
    return Uint8Array.fromBase64(base64)
  } catch {
    return null
  }
}

/** What a field says in a form; a fault when a form has no way to say it. */
function fieldsOf(name: string, value: unknown, problem: RequestProblem): readonly Field[] {
  if (name === SOUND || name === CALLER || value === null) return []
  const isList = Array.isArray(value)
  const values: readonly unknown[] = isList ? value : [value]
  if (!NAME.test(name) || values.some((one) => typeof one === 'object'))
    problem.invalid(name, `Invalid '${name}': in a form there is no way to say it.`)
  return values.map((one) => [isList ? `${name}[]` : name, String(one)])
}
