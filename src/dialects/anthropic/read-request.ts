import type { Capability, OperationName } from '../../domain/index.ts'
import { JsonKeys, type JsonKind, JsonReader, jsonText, type TextRule } from '../../lib/index.ts'
import type { RequestFacts, Span } from '../dialect.ts'
import { GATEWAY_FIELDS, GatewayFields, isGatewayField } from '../gateway-fields.ts'
import { enterBody, readJsonBody } from '../read-json-body.ts'
import { RequestProblem } from '../request-problem.ts'
import { ContentSum, readContent } from './read-content.ts'
import { readMessages } from './read-messages.ts'

/**
 * Reads a request for a message, or for the count of its tokens (WIRE.md, 8). Checked are only the body's form, `model`, `messages`, `max_tokens`
 * being there, and `stream`; all else is the provider's to judge. A body that is no JSON is told before any field at fault.
 */
export function readRequest(operation: OperationName, body: Uint8Array): RequestFacts {
  return readJsonBody(body, () => new RequestReader(body).read(operation))
}

const FIELDS = new JsonKeys([
  'model',
  'messages',
  'max_tokens',
  'stream',
  'system',
  'tools',
  'output_config',
  'output_format',
  'metadata',
  'fallbacks',
  'speed',
  'inference_geo',
  ...GATEWAY_FIELDS,
])
type Field = typeof FIELDS extends JsonKeys<infer Name> ? Name : never
/** Definitions reach the model as a whole, names and all. */
const DEFINITION_TEXT: TextRule = { without: new JsonKeys(['cache_control']), names: true }
const METADATA = new JsonKeys(['user_id'])
const USER_ID_BYTES_MAX = 1024
/** Fields with values that are billed at a multiple of the usual price (platform.claude.com/docs: fast mode, data residency), and the usual ones. */
const USUAL = { speed: new JsonKeys(['standard']), inference_geo: new JsonKeys(['global']) }
const JSON_SCHEMA = Buffer.from('"json_schema"')

/** What has been read so far of one request. */
class RequestReader {
  readonly #reader: JsonReader
  readonly #body: Uint8Array
  readonly #problem = new RequestProblem()
  readonly #seen = new Set<Field>()
  readonly #limits: Span[] = []
  readonly #content = new ContentSum()
  #outputLimit: number | null = null
  #model: { readonly name: string; readonly span: Span } | null = null
  #stream = false
  #gateway: GatewayFields | undefined
  #needs: Set<Capability> | undefined
  #userId: string | undefined
  #dearer: string | undefined

  constructor(body: Uint8Array) {
    this.#body = body
    this.#reader = new JsonReader(body)
  }

  read(operation: OperationName): RequestFacts {
    const reader = this.#reader
    enterBody(reader)
    const insertAt = reader.position
    while (reader.nextKey()) this.#field(reader.key(FIELDS))
    reader.finish()
    const isCount = operation === 'messages.count_tokens'
    this.#require(isCount)
    const model = this.#model?.name ?? this.#gateway?.models[0] ?? ''
    const wishes = this.#gateway?.wishes(this.#body, model)
    const { textBytes, mediaUnits, hasImages, hasDocuments, files } = this.#content
    if (hasImages) this.#need('images')
    if (hasDocuments) this.#need('files')
    return {
      operation,
      body: this.#body,
      model,
      stream: this.#stream && !isCount,
      usageWanted: true,
      choices: 1,
      outputLimit: isCount ? 0 : this.#outputLimit,
      promptTextBytes: isCount ? 0 : textBytes,
      promptMediaUnits: isCount ? 0 : mediaUnits,
      ...(isCount ? { isFree: true } : {}),
      ...(this.#dearer !== undefined && !isCount ? { dearer: this.#dearer } : {}),
      needs: this.#needs === undefined ? undefined : [...this.#needs],
      preferences: wishes?.preferences,
      sessionId: wishes?.sessionId,
      promptCacheKey: this.#userId,
      ...(files === null ? {} : { names: files }),
      layout: {
        model: this.#model?.span ?? null,
        streamOptions: null,
        includeUsage: null,
        outputLimits: this.#limits,
        insertAt,
        cuts: wishes?.cuts,
      },
    }
  }

  #require(isCount: boolean): void {
    const problem = this.#problem
    if (!this.#seen.has('model') && this.#gateway?.models[0] === undefined)
      problem.missing('model', 'you must provide a model')
    if (!this.#seen.has('messages')) problem.missing('messages', null)
    if (!this.#seen.has('max_tokens') && !isCount) problem.missing('max_tokens', 'the most tokens of the answer')
    problem.raise()
  }

  #field(name: Field | undefined): void {
    const reader = this.#reader
    if (name === undefined) {
      reader.skip()
      return
    }
    if (this.#seen.has(name)) this.#problem.duplicate(name)
    this.#seen.add(name)
    if (name === 'messages') readMessages(reader, this.#problem, this.#content)
    else if (name === 'system') readContent(reader, this.#content)
    else if (name === 'tools') this.#readTools()
    else if (name === 'output_config' || name === 'output_format') this.#readForm()
    else if (name === 'metadata') this.#readMetadata()
    else if (name === 'fallbacks') this.#own().readFallbacks()
    else if (isGatewayField(name)) this.#own().read(name)
    else this.#scalar(name, reader.peek())
  }

  /** An empty list asks nothing of the model. */
  #readTools(): void {
    const textBytes = jsonText(this.#reader, DEFINITION_TEXT)
    this.#content.textBytes += textBytes
    if (textBytes > 0) this.#need('tools')
  }

  #readForm(): void {
    const reader = this.#reader
    reader.peek()
    const start = reader.position
    this.#content.textBytes += jsonText(reader, DEFINITION_TEXT)
    const { buffer, byteOffset } = this.#body
    if (Buffer.from(buffer, byteOffset + start, reader.position - start).includes(JSON_SCHEMA))
      this.#need('json_schema')
  }

  /** Whose prompts they are: one user's begin alike, and Claude Code puts its session in it. */
  #readMetadata(): void {
    const reader = this.#reader
    if (reader.peek() !== 'object') {
      reader.skip()
      return
    }
    reader.enter()
    while (reader.nextKey()) {
      const isUserId = reader.key(METADATA) !== undefined && reader.peek() === 'string'
      reader.skip()
      const { stringBytes } = reader
      if (isUserId && stringBytes > 0 && stringBytes <= USER_ID_BYTES_MAX) this.#userId = String(reader.value())
    }
  }

  #own(): GatewayFields {
    this.#gateway ??= new GatewayFields(this.#reader, this.#problem)
    return this.#gateway
  }

  #need(capability: Capability): void {
    this.#needs ??= new Set()
    this.#needs.add(capability)
  }

  #scalar(name: 'model' | 'max_tokens' | 'stream' | keyof typeof USUAL, kind: JsonKind): void {
    const reader = this.#reader
    reader.skip()
    if (name === 'speed' || name === 'inference_geo') {
      if (kind === 'string' && reader.stringIn(USUAL[name]) === undefined) this.#dearer = name
    } else if (name === 'model') this.#readModel(kind)
    else if (name === 'max_tokens') this.#readLimit(kind)
    else {
      if (kind !== 'true' && kind !== 'false' && kind !== 'null') this.#problem.wrongKind(name, 'a boolean', kind)
      this.#stream = kind === 'true'
    }
  }

  #readModel(kind: JsonKind): void {
    if (kind !== 'string') this.#problem.wrongKind('model', 'a string', kind)
    else if (this.#reader.stringBytes === 0) this.#problem.missing('model', 'you must provide a model')
    else this.#model = { name: String(this.#reader.value()), span: spanOf(this.#reader) }
  }

  /** A number that is no count is the provider's to judge. */
  #readLimit(kind: JsonKind): void {
    this.#limits.push(spanOf(this.#reader))
    const limit = kind === 'number' ? this.#reader.number() : Number.NaN
    if (Number.isSafeInteger(limit) && limit >= 0) this.#outputLimit = limit
  }
}

const spanOf = ({ valueStart, valueEnd }: JsonReader): Span => ({ start: valueStart, end: valueEnd })
