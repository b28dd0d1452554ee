import type { Capability, OperationName } from '../../domain/index.ts'
import { JsonKeys, type JsonKind, JsonReader, jsonText, type TextRule } from '../../lib/index.ts'
import type { RequestFacts, Span, StoredName } from '../dialect.ts'
import { type GatewayField, GatewayFields, isGatewayField } from '../gateway-fields.ts'
import { enterBody, readJsonBody } from '../read-json-body.ts'
import { RequestProblem } from '../request-problem.ts'
import { formOf } from './form-of.ts'
import type { FieldRole, RequestForm, Word } from './operation-form.ts'
import { charactersIn, readInput } from './read-input.ts'
import { readItems } from './read-items.ts'
import { readKeptNames } from './read-kept-names.ts'
import type { MediaField } from './read-media.ts'
import { readMessages } from './read-messages.ts'

/**
 * Reads a request (WIRE.md, 2 and 6). Checked are only the body's form, the fields that must be there, `model`, `messages` with their roles,
 * and `stream`; all else is the provider's to judge. A body that is no JSON is told before any field at fault.
 */
export function readRequest(operation: OperationName, body: Uint8Array): RequestFacts {
  return readJsonBody(body, () => new RequestReader(body, formOf(operation).request).read(operation))
}

const STREAM_OPTIONS = new JsonKeys(['include_usage'])
/** Definitions reach the model as a whole, names and all. */
const DEFINITION_TEXT: TextRule = { without: new JsonKeys([]), names: true }
const TEXT: TextRule = { without: new JsonKeys([]), names: false }
/** What a model must take for each sort of media. */
const NEEDED: Readonly<Record<MediaField, Capability>> = {
  image_url: 'images',
  input_audio: 'audio',
  file: 'files',
  video_url: 'video',
}
const NO_MEDIA: readonly MediaField[] = []
const JSON_SCHEMA = Buffer.from('"json_schema"')
const CACHE_KEY_BYTES_MAX = 1024
const NO_WORDS: ReadonlyMap<string, Word> = new Map()
const NO_NAMES: readonly StoredName[] = []

/** What has been read so far of one request. */
class RequestReader {
  readonly #reader: JsonReader
  readonly #body: Uint8Array
  readonly #problem = new RequestProblem()
  readonly #form: RequestForm
  readonly #seen = new Set<string>()
  readonly #limits: Span[] = []
  #nullLimit: Span | null = null
  #outputLimit: number | null = null
  #hasOddLimit = false
  #model: { readonly name: string; readonly span: Span } | null = null
  #stream = false
  #streamOptions: Span | null = null
  #includeUsage: Span | null = null
  #usageWanted = false
  #choices = 1
  #textBytes = 0
  #mediaUnits = 0
  #needs: Set<Capability> | undefined
  #gateway: GatewayFields | undefined
  #promptCacheKey: string | undefined
  #inputs = 0
  #longestBytes = 0
  #characters = 0
  #words: Map<string, Word> | null = null
  #names: StoredName[] | null = null

  constructor(body: Uint8Array, form: RequestForm) {
    this.#body = body
    this.#form = form
    this.#reader = new JsonReader(body)
  }

  read(operation: OperationName): RequestFacts {
    const reader = this.#reader
    enterBody(reader)
    const insertAt = reader.position
    while (reader.nextKey()) this.#field(reader.key(this.#form.keys))
    reader.finish()
    const { required, defaultModel } = this.#form
    for (const name of required)
      if (!this.#seen.has(name) && (name !== 'model' || this.#gateway?.models[0] === undefined))
        this.#problem.missing(name, name === 'model' ? 'you must provide a model' : null)
    this.#problem.raise()
    const model = this.#model?.name ?? this.#gateway?.models[0] ?? defaultModel ?? ''
    const wishes = this.#gateway?.wishes(this.#body, model)
    if (this.#limits.length === 0 && this.#nullLimit !== null) this.#limits.push(this.#nullLimit)
    return {
      operation,
      body: this.#body,
      model,
      stream: this.#stream,
      usageWanted: this.#usageWanted,
      choices: this.#choices,
      outputLimit: this.#hasOddLimit ? null : this.#outputLimit,
      promptTextBytes: this.#textBytes,
      promptMediaUnits: this.#mediaUnits,
      ...(this.#inputs > 1 ? { longestTextBytes: this.#longestBytes } : {}),
      needs: this.#needs === undefined ? undefined : [...this.#needs],
      preferences: wishes?.preferences,
      sessionId: wishes?.sessionId,
      promptCacheKey: this.#promptCacheKey,
      ...(this.#names === null ? {} : { names: this.#names }),
      layout: {
        model: this.#model?.span ?? null,
        streamOptions: this.#streamOptions,
        includeUsage: this.#includeUsage,
        outputLimits: this.#limits,
        insertAt,
        cuts: wishes?.cuts,
      },
      ...this.#form.facts({
        choices: this.#choices,
        inputs: Math.max(1, this.#inputs),
        characters: this.#characters,
        words: this.#words ?? NO_WORDS,
      }),
    }
  }

  #field(name: string | undefined): void {
    const reader = this.#reader
    const role = name === undefined ? undefined : this.#form.fields[name]
    if (name === undefined || role === undefined) {
      reader.skip()
      return
    }
    if (role === 'text') {
      this.#textBytes += jsonText(reader, TEXT)
      return
    }
    if (role === 'definition' || role === 'naming') {
      this.#readDefinition(name, role)
      return
    }
    if (this.#seen.has(name)) this.#problem.duplicate(name)
    this.#seen.add(name)
    if (role === 'messages') this.#messages()
    else if (role === 'gateway' && isGatewayField(name)) this.#readOwn(name)
    else if (role === 'input') this.#readInput()
    else if (role === 'items') this.#readItems()
    else if (role === 'response' || role === 'foreign') this.#readName(name, role)
    else if (role === 'stream_options') this.#readStreamOptions()
    else this.#scalar(name, role, reader.peek())
  }

  /** Tools, the values of a prompt, or the form of the answer: an empty one asks nothing of the model. */
  #readDefinition(name: string, role: 'definition' | 'naming'): void {
    const reader = this.#reader
    reader.peek()
    const start = reader.position
    const textBytes = jsonText(reader, DEFINITION_TEXT)
    this.#textBytes += textBytes
    if (role === 'naming') {
      const names = [...(this.#names ?? NO_NAMES)]
      readKeptNames(new JsonReader(this.#body, start, reader.position), name, names)
      if (names.length > 0) this.#names = names
    }
    if (textBytes === 0 || name === 'prompt') return
    if (name !== 'response_format' && name !== 'text') this.#need('tools')
    else if (
      Buffer.from(this.#body.buffer, this.#body.byteOffset + start, reader.position - start).includes(JSON_SCHEMA)
    )
      this.#need('json_schema')
  }

  #readOwn(name: GatewayField): void {
    this.#gateway ??= new GatewayFields(this.#reader, this.#problem)
    this.#gateway.read(name)
  }

  #need(capability: Capability): void {
    this.#needs ??= new Set()
    this.#needs.add(capability)
  }

  #messages(): void {
    const read = readMessages(this.#reader, this.#problem)
    this.#textBytes += read.textBytes
    this.#mediaUnits += read.mediaUnits
    for (const media of read.media ?? NO_MEDIA) this.#need(NEEDED[media])
    if (read.names !== null) this.#names = [...(this.#names ?? NO_NAMES), ...read.names]
  }

  #readInput(): void {
    const reader = this.#reader
    const kind = reader.peek()
    const isCounted = this.#form.countsCharacters && kind === 'string'
    if (this.#form.countsCharacters && kind !== 'string') this.#problem.wrongKind('input', 'a string', kind)
    const { inputs, textBytes, longestBytes, units } = readInput(reader)
    if (isCounted) this.#characters += charactersIn(String(reader.value()))
    this.#inputs += inputs
    this.#longestBytes = Math.max(this.#longestBytes, longestBytes)
    this.#textBytes += textBytes
    this.#mediaUnits += units
  }

  #readItems(): void {
    const { textBytes, units, needs, names } = readItems(this.#reader)
    this.#textBytes += textBytes
    this.#mediaUnits += units
    for (const need of needs) this.#need(need)
    if (names.length > 0) this.#names = [...(this.#names ?? NO_NAMES), ...names]
  }

  /** Null names nothing. */
  #readName(param: string, role: 'response' | 'foreign'): void {
    const reader = this.#reader
    const kind = reader.peek()
    reader.skip()
    if (kind === 'null') return
    if (role === 'response' && kind !== 'string') this.#problem.wrongKind(param, 'a string', kind)
    const id = role === 'response' && kind === 'string' ? String(reader.value()) : ''
    this.#names = [...(this.#names ?? NO_NAMES), { kind: role, id, param }]
  }

  #scalar(name: string, role: FieldRole, kind: JsonKind): void {
    const reader = this.#reader
    reader.skip()
    if (role === 'model') this.#readModel(kind)
    else if (role === 'stream') {
      if (kind !== 'true' && kind !== 'false' && kind !== 'null') this.#problem.wrongKind(name, 'a boolean', kind)
      this.#stream = kind === 'true'
    } else if (role === 'limit') this.#readLimit(kind)
    else if (role === 'cache_key') this.#readCacheKey(kind)
    else if (role === 'word') this.#readWord(name, kind)
    else if (kind === 'number') this.#choices = Math.max(this.#choices, wholeNumber(reader) ?? 1)
    // Some providers take a text for the number, and would give more answers than were held for.
    else if (kind === 'string') this.#problem.wrongKind(name, 'an integer', kind)
  }

  /** One of another kind, or a huge one, is the provider's to judge. */
  #readCacheKey(kind: JsonKind): void {
    const { stringBytes } = this.#reader
    if (kind === 'string' && stringBytes > 0 && stringBytes <= CACHE_KEY_BYTES_MAX)
      this.#promptCacheKey = String(this.#reader.value())
  }

  #readWord(name: string, kind: JsonKind): void {
    if (kind === 'string') this.#keep(name, String(this.#reader.value()))
    else if (kind === 'number') this.#keep(name, this.#reader.number())
    else if (kind === 'true' || kind === 'false') this.#keep(name, kind === 'true')
  }

  #keep(name: string, word: Word): void {
    this.#words ??= new Map()
    this.#words.set(name, word)
  }

  /** A model that need not be named may be null. */
  #readModel(kind: JsonKind): void {
    if (kind === 'null' && this.#form.defaultModel !== null)
      this.#model = { name: this.#form.defaultModel, span: spanOf(this.#reader) }
    else if (kind !== 'string') this.#problem.wrongKind('model', 'a string', kind)
    else if (this.#reader.stringBytes === 0) this.#problem.missing('model', 'you must provide a model')
    else this.#model = { name: String(this.#reader.value()), span: spanOf(this.#reader) }
  }

  /** The provider may go by either of two, so the larger counts. One that is no count (a text, -1) may mean anything: then none is known. */
  #readLimit(kind: JsonKind): void {
    if (kind === 'null') {
      this.#nullLimit = spanOf(this.#reader)
      return
    }
    this.#limits.push(spanOf(this.#reader))
    const limit = kind === 'number' ? wholeNumber(this.#reader) : null
    if (limit === null) this.#hasOddLimit = true
    else this.#outputLimit = Math.max(this.#outputLimit ?? 0, limit)
  }

  #readStreamOptions(): void {
    const reader = this.#reader
    const kind = reader.peek()
    if (kind !== 'object') {
      reader.skip()
      this.#streamOptions = spanOf(reader)
      return
    }
    reader.enter()
    const start = reader.position - 1
    while (reader.nextKey()) {
      const isIncludeUsage = reader.key(STREAM_OPTIONS) !== undefined
      const value = reader.peek()
      reader.skip()
      if (!isIncludeUsage) continue
      if (this.#includeUsage !== null) this.#problem.duplicate('stream_options.include_usage')
      this.#includeUsage = spanOf(reader)
      this.#usageWanted = value === 'true'
    }
    this.#streamOptions = { start, end: reader.position }
  }
}

const spanOf = ({ valueStart, valueEnd }: JsonReader): Span => ({ start: valueStart, end: valueEnd })

/** The number read last, when it is a count: 0 or more, whole and exact. */
function wholeNumber(reader: JsonReader): number | null {
  const value = reader.number()
  return Number.isSafeInteger(value) && value >= 0 ? value : null
}
