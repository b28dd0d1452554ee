import { JsonKeys, JsonReader, jsonText, type TextRule } from '../../lib/index.ts'
import type { Span } from '../dialect.ts'
import { UsageFigures } from './usage-figures.ts'

/** Where the fields stand that are written anew, in a message or in an event. Null where it has none. */
export interface FieldSpans {
  /** Just after the `{` of the object that has them. */
  insertAt: number
  id: Span | null
  model: Span | null
  provider: Span | null
  usage: Span | null
}

/**
 * Reads one answer: a whole message, or an event of a stream. One reader serves all events of a stream; what it found stands in its fields
 * until the next `read`, but for the usage, which goes on.
 */
export class AnswerReader {
  readonly usage = new UsageFigures()
  /** The value of `type`, as it stands between its quotes; empty when there is none. */
  type = ''
  /** A top-level `error` that is not null. */
  hasError = false
  /** `content` at the outermost level is an array. */
  hasContentList = false
  /** `input_tokens` at the outermost level, as counts of tokens are answered. */
  hasInputTokens = false
  /** Non-empty text, thinking, tool input or signature, a block of another kind, or a stop_reason. */
  hasContent = false
  /** Why the answer ended, as the provider calls it; it goes on over the events of a stream. */
  finishReason: string | null = null
  /** The usage that was just read names the tokens of the answer. */
  hasOutputTokens = false
  /** UTF-8 bytes of text, thinking and tool input. */
  textBytes = 0
  /** Of the message: the answer itself, or that in `message_start`; then of an event's own usage. */
  readonly spans: FieldSpans = { insertAt: 0, id: null, model: null, provider: null, usage: null }
  readonly #reader = new JsonReader(NOTHING)

  /** Reads the JSON document at `[start, end)`. False when it is no object. Throws `JsonError`. */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    const reader = this.#reader
    this.type = ''
    this.hasError = false
    this.hasContentList = false
    this.hasInputTokens = false
    this.hasContent = false
    this.hasOutputTokens = false
    this.textBytes = 0
    reader.open(bytes, start, end)
    const isObject = reader.peek() === 'object'
    if (isObject) this.#readObject()
    else reader.skip()
    reader.finish()
    return isObject
  }

  /** A message, or an event with one in it: they share no field but `type`, which is the outer one's. */
  #readObject(): void {
    const reader = this.#reader
    reader.enter()
    this.#beginSpans(reader.position)
    while (reader.nextKey()) {
      const field = reader.key(FIELDS)
      if (field === 'message' && reader.peek() === 'object') this.#readMessage()
      else if (field === 'delta') this.#readDelta()
      else if (field === 'content_block') this.#readBlock()
      else if (field === 'type') this.type = this.#string()
      else if (field === 'error') this.hasError = this.#isGiven()
      else if (field === 'input_tokens') {
        this.hasInputTokens = reader.peek() === 'number'
        reader.skip()
      } else this.#messageField()
    }
  }

  #readMessage(): void {
    const reader = this.#reader
    reader.enter()
    this.#beginSpans(reader.position)
    const { hasContentList } = this
    while (reader.nextKey()) this.#messageField()
    this.hasContentList = hasContentList
  }

  /** The field whose name was just read. */
  #messageField(): void {
    const reader = this.#reader
    const field = reader.key(MESSAGE_FIELDS)
    if (field === 'content') this.hasContentList = reader.peek() === 'array'
    if (field === 'content' && this.hasContentList) {
      reader.enter()
      while (reader.nextItem()) this.#readBlock()
    } else if (field === 'stop_reason') this.#stopReason()
    else if (field === 'usage') {
      reader.peek() // goes over white space
      const start = reader.position
      this.hasOutputTokens = this.usage.read(reader)
      this.spans.usage = { start, end: reader.position }
    } else {
      reader.skip()
      if (field === 'id' || field === 'model' || field === 'provider')
        this.spans[field] = { start: reader.valueStart, end: reader.valueEnd }
    }
  }

  /** One block of content. Text and thinking are content when there is any; a block of another kind says something by being there. */
  #readBlock(): void {
    const reader = this.#reader
    if (reader.peek() !== 'object') {
      reader.skip()
      return
    }
    const before = this.textBytes
    let isText = false
    reader.enter()
    while (reader.nextKey()) {
      const field = reader.key(BLOCK_FIELDS)
      if (field === 'type') isText = this.#isTextKind()
      else if (field === 'input') this.#readInput()
      else if (reader.key(BLOCK_TEXT.without) !== undefined) reader.skip()
      else this.textBytes += jsonText(reader, BLOCK_TEXT)
    }
    if (!isText || this.textBytes > before) this.hasContent = true
  }

  /** The model writes it as JSON. A block of a stream begins with an empty one, whatever follows. */
  #readInput(): void {
    const reader = this.#reader
    reader.skip()
    const bytes = reader.valueEnd - reader.valueStart
    if (bytes > EMPTY_BYTES) this.textBytes += bytes
  }

  #isTextKind(): boolean {
    const reader = this.#reader
    const isString = reader.peek() === 'string'
    reader.skip()
    return isString && reader.stringIn(TEXT_KINDS) !== undefined
  }

  #readDelta(): void {
    const reader = this.#reader
    if (reader.peek() !== 'object') {
      reader.skip()
      return
    }
    reader.enter()
    while (reader.nextKey()) {
      const field = reader.key(DELTA_FIELDS)
      const isString = reader.peek() === 'string'
      if (field === 'stop_reason') this.#stopReason()
      else {
        reader.skip()
        if (field === undefined || !isString || reader.stringBytes === 0) continue
        this.hasContent = true
        if (field !== 'signature') this.textBytes += reader.stringBytes
      }
    }
  }

  #stopReason(): void {
    const reader = this.#reader
    const isString = reader.peek() === 'string'
    reader.skip()
    if (!isString || reader.stringBytes === 0) return
    this.finishReason = String(reader.value()).slice(0, REASON_CHARS_MAX)
    this.hasContent = true
  }

  /** One object for all events: most of them have none of these fields. */
  #beginSpans(insertAt: number): void {
    const { spans } = this
    spans.insertAt = insertAt
    spans.id = null
    spans.model = null
    spans.provider = null
    spans.usage = null
  }

  #isGiven(): boolean {
    const isGiven = this.#reader.peek() !== 'null'
    this.#reader.skip()
    return isGiven
  }

  #string(): string {
    const reader = this.#reader
    const isString = reader.peek() === 'string'
    reader.skip()
    if (!isString) return ''
    return reader.stringIn(TYPES) ?? String(reader.value())
  }
}

const NOTHING = new Uint8Array(0)
const FIELDS = new JsonKeys(['message', 'delta', 'content_block', 'type', 'error', 'input_tokens'])
const MESSAGE_FIELDS = new JsonKeys(['id', 'model', 'provider', 'content', 'stop_reason', 'usage'])
const BLOCK_FIELDS = new JsonKeys(['type', 'input'])
const DELTA_FIELDS = new JsonKeys(['text', 'thinking', 'partial_json', 'signature', 'stop_reason'])
const TEXT_KINDS = new JsonKeys(['text', 'thinking'])
/** Found without making a string. */
const TYPES = new JsonKeys([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
  'message',
])
/** What a model writes, of a block: no ids, nothing encrypted, and no results of tools that the provider runs. */
const BLOCK_TEXT: TextRule = {
  without: new JsonKeys(['id', 'tool_use_id', 'signature', 'data', 'citations', 'content', 'caller', 'cache_control']),
  names: false,
}
const EMPTY_BYTES = 2
const REASON_CHARS_MAX = 64
