import type { Usage } from '../../domain/index.ts'
import { JsonKeys, type JsonKind, JsonReader, jsonText, type TextRule } from '../../lib/index.ts'
import type { Span } from '../dialect.ts'
import { type CallSeen, readCalls } from './read-calls.ts'
import { readUsage } from './read-usage.ts'

/** Told of every choice: its index, and whether it has its `finish_reason`. */
export type ChoiceSeen = (index: number, isFinished: boolean) => void

/** Told of every field as it is read, by one who writes the answer anew. `Begins` and `Field`: the name was read, its value is next. */
export interface AnswerWatcher {
  answerBegins(): void
  fieldBegins(reader: JsonReader): void
  fieldEnds(reader: JsonReader): void
  choiceBegins(): void
  /** One that is no object. */
  oddChoice(): void
  choiceField(reader: JsonReader): void
  /** A field of a choice's `message` or `delta`. */
  messageField(reader: JsonReader): void
  /** `index`: of the choice, or its place. */
  choiceEnds(index: number): void
}

/**
 * Reads one answer: a `chat.completion`, or a `chat.completion.chunk` of a stream, which are the same but for `message` and `delta`; or a
 * `text_completion` of either kind, with `text` in their place. One reader serves all chunks of a stream; what it found stands in its fields until the next `read`.
 */
export class AnswerReader {
  /** The value of `model`, `[start, end)`; negative when there is none. */
  modelStart = -1
  modelEnd = -1
  /** A top-level `error` that is not null. */
  error: Span | null = null
  usage: Usage | null = null
  /** `usage` is there and not null, readable or not. */
  hasUsage = false
  /** How many choices it has, which are objects; negative when `choices` is no array. */
  choices = -1
  /** Non-empty text, reasoning, refusal, tool call or audio, or a finish_reason. */
  hasContent = false
  /** UTF-8 bytes of text, reasoning and tool arguments. */
  textBytes = 0
  /** The first `finish_reason` that was read; it stays. */
  finishReason: string | null = null
  /** Tool calls, or pieces of them. */
  readonly calls: CallSeen[] = []
  readonly #reader = new JsonReader(NOTHING)
  readonly #choiceSeen: ChoiceSeen
  readonly #watcher: AnswerWatcher | null

  constructor(choiceSeen: ChoiceSeen, watcher: AnswerWatcher | null = null) {
    this.#choiceSeen = choiceSeen
    this.#watcher = watcher
  }

  /** Reads the JSON document at `[start, end)`. False when it is no object. Throws `JsonError`. */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    const reader = this.#reader
    this.modelStart = -1
    this.error = null
    this.usage = null
    this.hasUsage = false
    this.choices = -1
    this.hasContent = false
    this.textBytes = 0
    this.calls.length = 0
    reader.open(bytes, start, end)
    const isObject = reader.peek() === 'object'
    if (isObject) {
      const watcher = this.#watcher
      watcher?.answerBegins()
      reader.enter()
      while (reader.nextKey()) {
        watcher?.fieldBegins(reader)
        this.#field()
        watcher?.fieldEnds(reader)
      }
    } else reader.skip()
    reader.finish()
    return isObject
  }

  #field(): void {
    const reader = this.#reader
    const field = reader.key(FIELDS)
    if (field === 'choices' && reader.peek() === 'array') this.#readChoices()
    else if (field === 'usage' && reader.peek() !== 'null') {
      this.hasUsage = true
      this.usage = readUsage(reader)
    } else {
      reader.skip()
      if (field === 'choices')
        this.choices = -1 // of a field that is given twice the last counts, as with every reader behind
      else if (field === 'model') {
        this.modelStart = reader.valueStart
        this.modelEnd = reader.valueEnd
      } else if (field === 'error' && reader.bytes[reader.valueStart] !== LETTER_N)
        this.error = { start: reader.valueStart, end: reader.valueEnd }
    }
  }

  #readChoices(): void {
    const reader = this.#reader
    this.choices = 0
    reader.enter()
    for (let place = 0; reader.nextItem(); place++) {
      if (reader.peek() === 'object') {
        this.#readChoice(place)
        this.choices++
      } else {
        this.#watcher?.oddChoice()
        reader.skip()
      }
    }
  }

  #readChoice(place: number): void {
    const reader = this.#reader
    const callsBefore = this.calls.length
    let index = place
    let isFinished = false
    this.#watcher?.choiceBegins()
    reader.enter()
    while (reader.nextKey()) {
      this.#watcher?.choiceField(reader)
      const field = reader.key(CHOICE_FIELDS)
      const kind = reader.peek()
      if ((field === 'delta' || field === 'message') && kind === 'object') this.#readMessage()
      else {
        reader.skip()
        if (field === 'text' && kind === 'string') this.#addText(reader.stringBytes)
        if (field === 'index' && kind === 'number') index = reader.number()
        if (field === 'finish_reason' && kind === 'string' && reader.stringBytes > 0) {
          isFinished = true
          this.finishReason ??= String(reader.value()).slice(0, REASON_CHARS_MAX)
        }
      }
    }
    this.#watcher?.choiceEnds(index)
    for (let at = callsBefore; at < this.calls.length; at++) {
      const call = this.calls[at]
      if (call !== undefined) call.choice = index
    }
    if (isFinished) this.hasContent = true
    this.#choiceSeen(index, isFinished)
  }

  /** The text of a `message` or `delta`. Reasoning that is given under two names is the same reasoning: it counts once. */
  #readMessage(): void {
    const reader = this.#reader
    let reasoning = 0
    reader.enter()
    while (reader.nextKey()) {
      this.#watcher?.messageField(reader)
      const field = reader.key(MESSAGE_FIELDS)
      const kind = reader.peek()
      if (field === undefined) reader.skip()
      else if (field === 'content' || field === 'refusal') this.#addText(this.#textOf(kind))
      else if (field === 'tool_calls' && kind === 'array') this.#readCalls()
      else if (field === 'tool_calls' || field === 'function_call' || field === 'audio' || field === 'images')
        this.#readParts(kind)
      else reasoning = Math.max(reasoning, this.#textOf(kind))
    }
    this.#addText(reasoning)
  }

  /** A string, or parts of text as Mistral sends them. */
  #textOf(kind: JsonKind): number {
    const reader = this.#reader
    if (kind !== 'string') return jsonText(reader, ANSWER_TEXT)
    reader.skip()
    return reader.stringBytes
  }

  #readCalls(): void {
    const before = this.calls.length
    this.#addText(readCalls(this.#reader, this.calls))
    if (this.calls.length > before) this.hasContent = true
  }

  /** Audio, images: there is content when there is anything in them. */
  #readParts(kind: JsonKind): void {
    const reader = this.#reader
    if (kind !== 'array' && kind !== 'object') {
      reader.skip()
      return
    }
    reader.enter()
    while (kind === 'array' ? reader.nextItem() : reader.nextKey()) {
      this.hasContent = true
      if (kind === 'object' && reader.key(ANSWER_TEXT.without) !== undefined) reader.skip()
      else this.textBytes += jsonText(reader, ANSWER_TEXT)
    }
  }

  #addText(bytes: number): void {
    if (bytes === 0) return
    this.textBytes += bytes
    this.hasContent = true
  }
}

const NOTHING = new Uint8Array(0)
const LETTER_N = 0x6e
const REASON_CHARS_MAX = 64
const FIELDS = new JsonKeys(['model', 'choices', 'usage', 'error'])
const CHOICE_FIELDS = new JsonKeys(['index', 'delta', 'message', 'finish_reason', 'text'])
const MESSAGE_FIELDS = new JsonKeys([
  'content',
  'refusal',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'tool_calls',
  'function_call',
  'audio',
  'images',
])
const ANSWER_TEXT: TextRule = {
  without: new JsonKeys(['id', 'type', 'format', 'signature', 'data', 'b64_json', 'url', 'image_url']),
  names: false,
}
