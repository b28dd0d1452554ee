import type { Usage } from '../../domain/index.ts'
import { jsonBytes, jsonSplice } from '../../lib/index.ts'
import type { ReplyStream, ReplyView, StreamEvent } from '../dialect.ts'
import { eventHead } from '../event-head.ts'
import { EventStream, PIECE_BYTES_MAX, STREAM_STATUS, WITHHELD } from '../event-stream.ts'
import { endsObject, fieldSplice } from '../field-splice.ts'
import { onOneLine } from '../on-one-line.ts'
import { streamFailure } from '../stream-failure.ts'
import { AnswerReader } from './answer-reader.ts'
import { readError } from './read-error.ts'
import { stampedMessage, stampedUsage } from './stamped-message.ts'

/** Reads a streamed message: each event as it came, but for the model's name and the marks of a stamped surface. */
export function openReplyStream(view: ReplyView): ReplyStream {
  return new AnthropicReplyStream(view)
}

class AnthropicReplyStream extends EventStream {
  readonly #view: ReplyView
  readonly #answer = new AnswerReader()
  #stopped = false
  #dataStart = 0
  #dataEnd = 0

  constructor(view: ReplyView) {
    super(PIECE_BYTES_MAX)
    this.#view = view
  }

  get finished(): boolean {
    return this.#stopped
  }

  get closed(): boolean {
    return this.#stopped
  }

  get finishReason(): string | null {
    return this.#answer.finishReason
  }

  get promptUsage(): Usage | null {
    return this.#answer.usage.prompt
  }

  protected override event(events: StreamEvent[]): void {
    const { bytes, start, end, dataStart, dataEnd } = this.splitter
    if (dataStart >= 0) events.push(this.#plainEvent(null, bytes, dataStart, dataEnd))
    else if (this.#isUsual(bytes, start, end)) events.push(this.#usual(bytes, start, end))
    else this.anyEvent(events)
  }

  /** A line with its name, one of data, a blank one, with LF: as nearly every event comes. Finds where its data stands. */
  #isUsual(bytes: Buffer, start: number, end: number): boolean {
    if (!isAt(EVENT_FIELD, bytes, start)) return false
    const nameEnd = bytes.indexOf(LINE_FEED, start)
    const dataStart = nameEnd + 1 + DATA_FIELD.length
    if (dataStart > end || !isAt(DATA_FIELD, bytes, nameEnd + 1)) return false
    const lineEnd = bytes.indexOf(LINE_FEED, dataStart)
    if (lineEnd !== end - 2 || bytes[end - 1] !== LINE_FEED) return false
    if (bytes[nameEnd - 1] === RETURN || bytes[lineEnd - 1] === RETURN) return false
    this.#dataStart = dataStart
    this.#dataEnd = lineEnd
    return true
  }

  #usual(bytes: Buffer, start: number, end: number): StreamEvent {
    const dataStart = this.#dataStart
    const dataEnd = this.#dataEnd
    if (isAt(ERROR_EVENT, bytes, start))
      return this.failure(readError(STREAM_STATUS, bytes.subarray(dataStart, dataEnd)))
    const failure = this.#read(bytes, dataStart, dataEnd)
    if (failure !== null) return failure
    const rewritten = this.#rewritten(bytes, dataStart, dataEnd)
    if (rewritten !== null) return this.#event(Buffer.concat([bytes.subarray(start, dataStart), rewritten, EVENT_END]))
    return this.#event(Buffer.from(bytes.subarray(start, end))) // a copy: what is pushed may be used again by the one who pushes
  }

  /** An event with other lines, or other line ends. */
  protected data(name: string | null, data: Uint8Array): StreamEvent {
    if (name === 'error') return this.failure(readError(STREAM_STATUS, data))
    return this.#plainEvent(name, onOneLine(data), 0, data.length)
  }

  /** Written anew, in the plain form. An event without a name gets its type's: readers pass over events without one (WIRE.md, 8). */
  #plainEvent(name: string | null, bytes: Buffer, start: number, end: number): StreamEvent {
    const text = bytes.toString('latin1', start, Math.min(end, start + DONE_CHARS_MAX)).trim()
    if (text === '' || text === '[DONE]') return WITHHELD // what servers of other dialects send too
    const failure = this.#read(bytes, start, end)
    if (failure !== null) return failure
    const data = this.#rewritten(bytes, start, end) ?? bytes.subarray(start, end)
    return this.#event(Buffer.concat([eventHead(name ?? this.#answer.type), data, EVENT_END]))
  }

  /** Reads one event's data; the failure that it is, or null. */
  #read(bytes: Buffer, start: number, end: number): StreamEvent | null {
    const answer = this.#answer
    try {
      if (!answer.read(bytes, start, end)) return this.noObject()
    } catch (error) {
      return this.unreadable(error)
    }
    if (answer.type === 'error' || answer.hasError)
      return this.failure(readError(STREAM_STATUS, bytes.subarray(start, end)))
    if (answer.type === '') return this.failure(streamFailure('an event of the stream has no type'))
    this.textBytes += answer.textBytes
    if (answer.type === 'message_delta' && answer.hasOutputTokens) this.usage = answer.usage.whole
    return null
  }

  /** The data of the event just read in the caller's form; null when nothing of it changes. */
  #rewritten(bytes: Buffer, start: number, end: number): Uint8Array | null {
    const { type, spans } = this.#answer
    const { model, stamp } = this.#view
    if (type === 'message_start') {
      if (stamp !== undefined) return cut(stampedMessage(bytes, spans, stamp, null), bytes, start, end)
      if (spans.model === null) return null
      return cut(jsonSplice(bytes, [{ ...spans.model, bytes: jsonBytes(model) }]), bytes, start, end)
    }
    if (type !== 'message_delta' || stamp === undefined || endsObject(bytes, spans.insertAt)) return null
    const billed = this.usage ?? stamp.estimate(this.textBytes, this.promptUsage)
    const usage = stampedUsage(bytes, spans.usage, billed, stamp)
    return cut(jsonSplice(bytes, [fieldSplice('usage', spans.usage, usage, spans.insertAt)]), bytes, start, end)
  }

  #event(bytes: Uint8Array): StreamEvent {
    const { type, hasContent } = this.#answer
    if (type === 'message_stop') {
      this.over = true
      this.#stopped = true
    }
    return { kind: hasContent ? 'content' : 'silent', bytes }
  }
}

const EVENT_FIELD = Buffer.from('event: ')
const ERROR_EVENT = Buffer.from('event: error\n')
const DATA_FIELD = Buffer.from('data: ')
const EVENT_END = Buffer.from('\n\n')
const DONE_CHARS_MAX = 16
const LINE_FEED = 0x0a
const RETURN = 0x0d

function isAt(wanted: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < wanted.length; i++) if (wanted[i] !== bytes[start + i]) return false
  return true
}

/** Of `bytes` with something spliced into `[start, end)`: that part alone. */
const cut = (spliced: Uint8Array, bytes: Uint8Array, start: number, end: number): Uint8Array =>
  spliced.subarray(start, spliced.length - (bytes.length - end))
