import { GatewayError, type OperationName } from '../../domain/index.ts'
import { assert, JsonError, JsonKeys, type JsonKind, JsonReader, jsonText, type TextRule } from '../../lib/index.ts'
import type { RequestFacts, Span } from '../dialect.ts'
import { readMessages } from './read-messages.ts'
import { KIND_WORDS, RequestProblem } from './request-problem.ts'

/**
 * Reads a chat completion request (WIRE.md, 2). Checked are only the body's form, `model`, `messages` with their roles, and
 * `stream`; all else is the provider's to judge. A body that is no JSON is told before any field at fault.
 */
export function readRequest(operation: OperationName, body: Uint8Array): RequestFacts {
  assert(operation === 'chat.completions', () => `the dialect does not read ${operation}`)
  try {
    return new RequestReader(body).read(operation)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    const message =
      body.length === 0
        ? 'The body is empty: a JSON object is expected.'
        : `Could not parse the JSON body of your request: ${error.message}.`
    throw new GatewayError('invalid_json', message)
  }
}

const FIELDS = new JsonKeys([
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_completion_tokens',
  'max_tokens',
  'n',
  'best_of',
  'tools',
  'functions',
  'response_format',
])
const STREAM_OPTIONS = new JsonKeys(['include_usage'])
/** Definitions reach the model as a whole, names and all. */
const DEFINITION_TEXT: TextRule = { without: new JsonKeys([]), names: true }
type Field = typeof FIELDS extends JsonKeys<infer Name> ? Name : never

/** What has been read so far of one request. */
class RequestReader {
  readonly #reader: JsonReader
  readonly #body: Uint8Array
  readonly #problem = new RequestProblem()
  readonly #seen = new Set<Field>()
  readonly #limits: Span[] = []
  #nullLimit: Span | null = null
  #outputLimit: number | null = null
  #model: { readonly name: string; readonly span: Span } | null = null
  #stream = false
  #streamOptions: Span | null = null
  #includeUsage: Span | null = null
  #usageWanted = false
  #choices = 1
  #textBytes = 0
  #mediaUnits = 0

  constructor(body: Uint8Array) {
    this.#body = body
    this.#reader = new JsonReader(body)
  }

  read(operation: OperationName): RequestFacts {
    const reader = this.#reader
    const kind = reader.peek()
    if (kind !== 'object') {
      reader.skip()
      reader.finish()
      throw new GatewayError('invalid_request', `The body must be a JSON object, but it is ${KIND_WORDS[kind]}.`)
    }
    reader.enter()
    const insertAt = reader.position
    while (reader.nextKey()) this.#field(reader.key(FIELDS))
    reader.finish()
    for (const name of ['model', 'messages'] as const)
      if (!this.#seen.has(name)) this.#problem.missing(name, name === 'model' ? 'you must provide a model' : null)
    this.#problem.raise()
    assert(this.#model !== null, 'a request without a problem has a model')
    if (this.#limits.length === 0 && this.#nullLimit !== null) this.#limits.push(this.#nullLimit)
    return {
      operation,
      body: this.#body,
      model: this.#model.name,
      stream: this.#stream,
      usageWanted: this.#usageWanted,
      choices: this.#choices,
      outputLimit: this.#outputLimit,
      promptTextBytes: this.#textBytes,
      promptMediaUnits: this.#mediaUnits,
      layout: {
        model: this.#model.span,
        streamOptions: this.#streamOptions,
        includeUsage: this.#includeUsage,
        outputLimits: this.#limits,
        insertAt,
      },
    }
  }

  #field(name: Field | undefined): void {
    const reader = this.#reader
    if (name === undefined) {
      reader.skip()
      return
    }
    if (name === 'tools' || name === 'functions' || name === 'response_format') {
      this.#textBytes += jsonText(reader, DEFINITION_TEXT)
      return
    }
    if (this.#seen.has(name)) this.#problem.duplicate(name)
    this.#seen.add(name)
    if (name === 'messages') this.#messages()
    else if (name === 'stream_options') this.#readStreamOptions()
    else this.#scalar(name, reader.peek())
  }

  #messages(): void {
    const read = readMessages(this.#reader, this.#problem)
    this.#textBytes += read.textBytes
    this.#mediaUnits += read.mediaUnits
  }

  #scalar(name: Exclude<Field, 'messages' | 'stream_options'>, kind: JsonKind): void {
    const reader = this.#reader
    reader.skip()
    if (name === 'model') this.#readModel(kind)
    else if (name === 'stream') {
      if (kind !== 'true' && kind !== 'false' && kind !== 'null') this.#problem.wrongKind(name, 'a boolean', kind)
      this.#stream = kind === 'true'
    } else if (name === 'max_tokens' || name === 'max_completion_tokens') this.#readLimit(kind)
    else if (kind === 'number') this.#choices = Math.max(this.#choices, wholeNumber(reader) ?? 1)
  }

  #readModel(kind: JsonKind): void {
    if (kind !== 'string') this.#problem.wrongKind('model', 'a string', kind)
    else if (this.#reader.stringBytes === 0) this.#problem.missing('model', 'you must provide a model')
    else this.#model = { name: String(this.#reader.value()), span: spanOf(this.#reader) }
  }

  /** Both names may be given; then the provider may go by either, so the larger counts. */
  #readLimit(kind: JsonKind): void {
    if (kind === 'null') {
      this.#nullLimit = spanOf(this.#reader)
      return
    }
    this.#limits.push(spanOf(this.#reader))
    const limit = kind === 'number' ? wholeNumber(this.#reader) : null
    if (limit !== null) this.#outputLimit = Math.max(this.#outputLimit ?? 0, limit)
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
