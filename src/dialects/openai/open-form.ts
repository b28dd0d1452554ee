import { GatewayError, type OperationName } from '../../domain/index.ts'
import { MultipartReader, type MultipartSink, multipartBoundary, type PartHead } from '../../lib/index.ts'
import type { FormBegun, FormReader, RequestFacts, RequestLayout, Span } from '../dialect.ts'
import { RequestProblem } from '../request-problem.ts'
import { formOf } from './form-of.ts'
import type { FieldRole, RequestForm, SeenFile, Word } from './operation-form.ts'
import { WAVE_HEAD_BYTES } from './sound-ms.ts'

/** Wishes about routing that a form itself has no place for. */
export type FormWishes = Pick<RequestFacts, 'preferences' | 'sessionId'>

/** Reads a form as it comes. Throws `invalid_request` for a content type that is not that of a form. */
export function openForm(operation: OperationName, contentType: string, wishes: FormWishes = {}): FormReader {
  const boundary = multipartBoundary(contentType)
  if (boundary === null)
    throw new GatewayError(
      'invalid_request',
      'The body must be a form: send it as multipart/form-data, with its boundary.',
    )
  return new OpenaiForm(operation, formOf(operation).request, { contentType, boundary }, wishes)
}

/** Of one field that is read as a word or a number. */
const VALUE_BYTES_MAX = 4096
const WHOLE_NUMBER = /^\d{1,15}$/
const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** A part whose content is coming. */
interface OpenPart {
  readonly name: string
  readonly role: FieldRole | undefined
  readonly start: number
  bytes: number
  readonly pieces: Uint8Array[]
}

class OpenaiForm implements FormReader, MultipartSink {
  readonly #operation: OperationName
  readonly #form: RequestForm
  readonly #type: { readonly contentType: string; readonly boundary: string }
  readonly #wishes: FormWishes
  readonly #reader: MultipartReader
  readonly #problem = new RequestProblem()
  readonly #seen = new Set<string>()
  readonly #words = new Map<string, Word>()
  readonly #said: Record<string, Word> = {}
  readonly #files: { bytes: number; readonly start: Uint8Array[] }[] = []
  #part: OpenPart | null = null
  #model: { readonly name: string; readonly span: Span } | null = null
  #stream = false
  #choices = 1
  #textBytes = 0
  #bytes = 0
  #isSent = false // what is known was told: nothing that changes it may follow

  constructor(
    operation: OperationName,
    form: RequestForm,
    type: { contentType: string; boundary: string },
    { preferences, sessionId }: FormWishes,
  ) {
    this.#wishes = { preferences, sessionId }
    this.#operation = operation
    this.#form = form
    this.#type = type
    this.#reader = new MultipartReader(type.boundary, this)
  }

  get isEnough(): boolean {
    return (
      !this.#reader.isDone && this.#files.length > 0 && (this.#model !== null || this.#form.fields.model === undefined)
    )
  }

  get said(): Uint8Array {
    return Buffer.from(JSON.stringify(this.#said))
  }

  push(bytes: Uint8Array): void {
    this.#bytes += bytes.byteLength
    this.#reader.push(bytes)
    if (this.#reader.error !== null) throw unreadable(this.#reader.error)
    this.#problem.raise()
  }

  end(): void {
    if (!this.#reader.isDone) throw unreadable('its last boundary is missing')
  }

  facts({ body, bodyBytes, isWhole }: FormBegun): RequestFacts {
    this.#isSent = true
    const { required, defaultModel } = this.#form
    for (const name of isWhole ? required : [])
      if (!this.#seen.has(name)) this.#problem.missing(name, name === 'model' ? 'you must provide a model' : null)
    this.#problem.raise()
    return {
      operation: this.#operation,
      body,
      bodyType: this.#type.contentType,
      model: this.#model?.name ?? defaultModel ?? '',
      stream: this.#stream,
      usageWanted: false,
      choices: this.#choices,
      outputLimit: null,
      promptTextBytes: this.#textBytes,
      promptMediaUnits: 0,
      ...(isWhole ? {} : { isOpen: true }),
      ...this.#wishes,
      layout: this.#layout(body),
      ...this.#form.facts({
        choices: this.#choices,
        inputs: 1,
        characters: 0,
        words: this.#words,
        files: this.#seenFiles(bodyBytes),
        isWhole,
      }),
    }
  }

  // What the reader finds

  part({ name, fileName }: PartHead, at: number): void {
    const role = Object.hasOwn(this.#form.fields, name) ? this.#form.fields[name] : undefined
    this.#part = { name, role, start: at, bytes: 0, pieces: [] }
    if (role === 'file') this.#files.push({ bytes: 0, start: [] })
    else if (role !== undefined && fileName !== null)
      this.#problem.invalid(name, `'${name}' must be a text, not a file.`)
    if (role !== undefined && isSingle(role) && this.#seen.has(name)) this.#problem.duplicate(name)
    if (this.#isSent && role === 'choices')
      this.#problem.invalid(name, `In a form that is so large, '${name}' must stand before the files.`)
    this.#seen.add(name)
  }

  data(bytes: Uint8Array): void {
    const part = this.#part
    if (part === null) return
    part.bytes += bytes.byteLength
    if (part.role === 'text' || part.role === 'input') this.#textBytes += bytes.byteLength
    const file = part.role === 'file' ? this.#files.at(-1) : undefined
    if (file !== undefined) {
      if (file.bytes < WAVE_HEAD_BYTES) file.start.push(Buffer.from(bytes.subarray(0, WAVE_HEAD_BYTES - file.bytes)))
      file.bytes += bytes.byteLength
    } else if (part.role !== undefined && isSingle(part.role)) {
      if (part.bytes > VALUE_BYTES_MAX)
        this.#problem.invalid(part.name, `'${part.name}' is longer than ${VALUE_BYTES_MAX} bytes.`)
      else part.pieces.push(Buffer.from(bytes))
    }
  }

  partEnd(at: number): void {
    const part = this.#part
    this.#part = null
    if (part?.role === undefined || !isSingle(part.role)) return
    const text = textOf(part.pieces)
    if (text === null) this.#problem.invalid(part.name, `'${part.name}' is not UTF-8.`)
    else this.#value(part.name, part.role, text, { start: part.start, end: at })
  }

  #value(name: string, role: FieldRole, text: string, span: Span): void {
    if (role === 'model' && text === '') this.#problem.missing(name, 'you must provide a model')
    else if (role === 'model') this.#model = { name: text, span }
    else if (role === 'stream') this.#stream = text === 'true' || text === '1'
    else if (role === 'choices') this.#choices = Math.max(1, countOf(text))
    const word = wordOf(text)
    if (role === 'word') this.#words.set(name, word)
    this.#said[name] = word
  }

  /** A file that is still coming is as long as the rest of the body, as far as that is told. */
  #seenFiles(bodyBytes: number | null): SeenFile[] {
    const isComing = this.#part?.role === 'file'
    return this.#files.map(({ bytes, start }, at) => {
      const isLast = at === this.#files.length - 1
      const left = bodyBytes === null ? null : Math.max(0, bodyBytes - this.#bytes)
      const size = !isLast || !isComing ? bytes : left === null ? null : bytes + left
      return { bytes: size, start: Buffer.concat(start) }
    })
  }

  #layout(body: Uint8Array): RequestLayout {
    const { boundary } = this.#type
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    const insertAt =
      this.#model !== null || bytes.indexOf(`--${boundary}`) === 0 ? 0 : bytes.indexOf(`\r\n--${boundary}`) + 2
    const model = this.#model?.span ?? null
    return { model, streamOptions: null, includeUsage: null, outputLimits: [], insertAt, boundary }
  }
}

/** As generous as the reading of providers may be (` 10`, `+10`, `1_0`); 0 for what is no count. */
function countOf(text: string): number {
  const count = Number(text.replaceAll('_', ''))
  return Number.isSafeInteger(count) ? count : 0
}

/** Roles whose field has one value, which is read. */
const isSingle = (role: FieldRole): boolean => SINGLE.has(role)
const SINGLE: ReadonlySet<FieldRole> = new Set<FieldRole>(['model', 'stream', 'choices', 'word'])

function textOf(pieces: readonly Uint8Array[]): string | null {
  try {
    return UTF8.decode(Buffer.concat(pieces))
  } catch {
    return null
  }
}

const wordOf = (text: string): Word =>
  text === 'true' || text === 'false' ? text === 'true' : WHOLE_NUMBER.test(text) ? Number(text) : text

const unreadable = (reason: string): GatewayError =>
  new GatewayError('invalid_request', `The body is not a form that can be read: ${reason}.`)
