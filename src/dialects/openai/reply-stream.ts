import { assert, jsonSplice } from '../../lib/index.ts'
import type { ReplyStream, ReplyView, StreamEvent } from '../dialect.ts'
import { EventStream, NOTHING, PIECE_BYTES_MAX, STREAM_STATUS, WITHHELD } from '../event-stream.ts'
import { onOneLine } from '../on-one-line.ts'
import { readAnyError } from '../read-any-error.ts'
import { AnswerReader } from './answer-reader.ts'
import { openBytesStream } from './bytes-stream.ts'
import { formOf } from './form-of.ts'
import { RepairedCalls } from './repaired-calls.ts'
import { openResponseStream } from './response-stream.ts'
import { StampedAnswer } from './stamped-answer.ts'
import { openTypedStream } from './typed-stream.ts'

/**
 * Reads a streamed answer. One of choices: each event once, with the model's name spliced and all else as it came, or stamped. Of other
 * operations: their events, or the bytes of a medium.
 */
export function openReplyStream(view: ReplyView): ReplyStream {
  const { answer, events } = formOf(view.operation)
  if (answer === 'messages' || answer === 'texts') return new OpenaiReplyStream(answer, view)
  if (answer === 'response') return openResponseStream(view)
  if (events !== undefined && view.isBinary !== true) return openTypedStream(events, view)
  assert(answer === 'bytes', () => `an answer to ${view.operation} is no stream`)
  return openBytesStream()
}

class OpenaiReplyStream extends EventStream {
  readonly #stamped: StampedAnswer | null
  readonly #answer: AnswerReader
  readonly #calls: RepairedCalls
  readonly #model: Buffer
  readonly #showUsage: boolean
  readonly #choices = new Map<number, boolean>() // by index: whether it has its finish_reason
  #running = 0 // choices without one
  #doneShown = false

  constructor(form: 'messages' | 'texts', view: ReplyView) {
    super(PIECE_BYTES_MAX)
    this.#model = Buffer.from(JSON.stringify(view.model))
    this.#showUsage = view.showUsage
    this.#stamped =
      view.stamp === undefined ? null : new StampedAnswer(view.stamp, form === 'messages' ? 'delta' : 'text', true)
    this.#calls = new RepairedCalls({ isStream: true, isStrict: this.#stamped !== null })
    this.#answer = new AnswerReader((index, isFinished) => this.#choiceSeen(index, isFinished), this.#stamped)
  }

  override closing(): Uint8Array {
    return this.finished && !this.#doneShown ? this.#done() : NOTHING
  }

  get finished(): boolean {
    return this.#choices.size > 0 && this.#running === 0 && !this.failed
  }

  get finishReason(): string | null {
    return this.#answer.finishReason
  }

  get closed(): boolean {
    return this.#doneShown
  }

  protected override event(events: StreamEvent[]): void {
    const { bytes, dataStart, dataEnd } = this.splitter
    if (dataStart >= 0) events.push(this.#data(bytes, dataStart, dataEnd))
    else this.anyEvent(events)
  }

  /** An event with other lines than one of data, or other line ends: it leaves in the plain form. */
  protected data(name: string | null, data: Uint8Array): StreamEvent {
    if (name === 'error') return this.failure(readAnyError(STREAM_STATUS, data))
    return this.#data(onOneLine(data), 0, data.length)
  }

  /** One event's data, at `[start, end)`. */
  #data(bytes: Buffer, start: number, end: number): StreamEvent {
    const first = bytes[start]
    if (first !== OPEN_BRACE) {
      const text = bytes.toString('latin1', start, Math.min(end, start + DONE_CHARS_MAX)).trim()
      if (text === '') return WITHHELD // empty data breaks several clients (WIRE.md, 3.3)
      if (text === '[DONE]') return this.#doneSeen()
    }
    const answer = this.#answer
    try {
      if (!answer.read(bytes, start, end)) return this.noObject()
      if (answer.calls.length > 0) {
        const splices = this.#calls.splices(bytes, start, end, answer.calls)
        if (splices !== null) return this.#repaired(Buffer.from(jsonSplice(bytes.subarray(start, end), splices)))
      }
    } catch (error) {
      return this.unreadable(error)
    }
    return this.#answered(bytes, start, end)
  }

  /** The event that was just read. */
  #answered(bytes: Buffer, start: number, end: number): StreamEvent {
    const answer = this.#answer
    if (answer.usage !== null) this.usage = answer.usage
    if (answer.error !== null) return this.failure(readAnyError(STREAM_STATUS, bytes.subarray(start, end)))
    this.textBytes += answer.textBytes
    const stamped = this.#stamped
    if (stamped !== null && answer.usage !== null) stamped.noteUsage(bytes)
    if (answer.hasUsage && answer.choices <= 0 && (stamped !== null || !this.#showUsage)) return WITHHELD
    const written = stamped === null ? this.#written(bytes, start, end) : stamped.written(bytes, null)
    return { kind: answer.hasContent ? 'content' : 'silent', bytes: written }
  }

  /** An event whose tool calls were given what they lacked: read once more, as it is now. */
  #repaired(bytes: Buffer): StreamEvent {
    this.#answer.read(bytes, 0, bytes.length)
    return this.#answered(bytes, 0, bytes.length)
  }

  /** The event in the caller's form, in memory of its own: what is pushed may be used again by the one who pushes. */
  #written(bytes: Buffer, start: number, end: number): Uint8Array {
    const { modelStart, modelEnd } = this.#answer
    const hasModel = modelStart >= 0
    const before = hasModel ? modelStart : end
    const after = hasModel ? modelEnd : end
    const modelLength = hasModel ? this.#model.length : 0
    const target = Buffer.allocUnsafe(FIELD.length + (end - start) - (after - before) + modelLength + 2)
    let to = FIELD.copy(target)
    to += bytes.copy(target, to, start, before)
    if (hasModel) {
      to += this.#model.copy(target, to)
      to += bytes.copy(target, to, after, end)
    }
    target[to] = LINE_FEED
    target[to + 1] = LINE_FEED
    return target
  }

  /** Passed on at once when the answer is complete; else it would tell the caller of a success that there is not. */
  #doneSeen(): StreamEvent {
    this.over = true
    this.#doneShown = this.finished
    return this.#doneShown ? { kind: 'silent', bytes: this.#done() } : WITHHELD
  }

  /** The end of a whole answer: on a stamped surface with the usage before it. */
  #done(): Uint8Array {
    if (this.#stamped === null) return DONE_EVENT
    return Buffer.concat([this.#stamped.usageEvent(this.usage, this.textBytes), DONE_EVENT])
  }

  #choiceSeen(index: number, isFinished: boolean): void {
    const wasFinished = this.#choices.get(index)
    if (wasFinished === undefined) {
      this.#choices.set(index, isFinished)
      if (!isFinished) this.#running++
    } else if (isFinished && !wasFinished) {
      this.#choices.set(index, true)
      this.#running--
    }
  }
}

const FIELD = Buffer.from('data: ')
const DONE_EVENT = Buffer.from('data: [DONE]\n\n')
const DONE_CHARS_MAX = 16
const OPEN_BRACE = 0x7b
const LINE_FEED = 0x0a
