import type { ProviderError, Usage } from '../domain/index.ts'
import { JsonError, SseSplitter, sseEvent } from '../lib/index.ts'
import type { ReplyStream, StreamEvent } from './dialect.ts'
import { asStreamError, streamFailure } from './stream-failure.ts'

/**
 * A streamed answer that is server-sent events, whatever they say: cuts them, passes comments on, and lets nothing out behind the end or a
 * failure. Each dialect reads what their data says.
 */
export abstract class EventStream implements ReplyStream {
  usage: Usage | null = null
  textBytes = 0
  protected readonly splitter: SseSplitter
  /** The end of the answer or an error came: nothing after it counts. */
  protected over = false
  protected failed = false

  /** An event beyond `eventBytesMax` breaks the stream. */
  constructor(eventBytesMax: number) {
    this.splitter = new SseSplitter(eventBytesMax)
  }

  abstract get finished(): boolean
  abstract get closed(): boolean

  push(bytes: Uint8Array): readonly StreamEvent[] {
    if (this.over) return NONE
    this.splitter.push(bytes)
    return this.#events()
  }

  end(): readonly StreamEvent[] {
    if (this.over) return NONE
    this.splitter.finish()
    return this.#events()
  }

  /** Nothing: where its end is missing an answer is not whole, and there is nothing to supply. */
  closing(): Uint8Array {
    return NOTHING
  }

  /** What is passed on for an event with this name and data, which may have line ends in it. */
  protected abstract data(name: string | null, data: Uint8Array): StreamEvent

  /** The event that the splitter is at. A dialect may know how its usual events look, and pass on those faster. */
  protected event(events: StreamEvent[]): void {
    this.anyEvent(events)
  }

  /** An event with lines of any kind: its comments leave before it. */
  protected anyEvent(events: StreamEvent[]): void {
    const { bytes, start, end } = this.splitter
    const { name, data, comments } = sseEvent(bytes, start, end)
    if (comments.length > 0) events.push({ kind: 'silent', bytes: Buffer.concat([comments, LINE_END]) })
    if (data !== null) events.push(this.data(name, data))
    else if (comments.length === 0) events.push(WITHHELD)
  }

  protected failure(error: ProviderError): StreamEvent {
    this.over = true
    this.failed = true
    return { kind: 'error', bytes: NOTHING, error }
  }

  /** The failure of an event whose data is JSON, but no object. */
  protected noObject(): StreamEvent {
    return this.failure(streamFailure('an event of the stream is no JSON object'))
  }

  /** The failure of an event whose data could not be read. Throws what is no `JsonError` again. */
  protected unreadable(thrown: unknown): StreamEvent {
    if (!(thrown instanceof JsonError)) throw thrown
    return this.failure(streamFailure(`an event of the stream is not JSON: ${thrown.problem}`))
  }

  #events(): readonly StreamEvent[] {
    const events: StreamEvent[] = []
    try {
      while (!this.over && this.splitter.next()) this.event(events)
    } catch (error) {
      throw asStreamError(error)
    }
    return events
  }
}

/** Whether an event's data are empty, or `[DONE]`: no answer that says its end otherwise passes that on. */
export function isDoneOrEmpty(data: Uint8Array): boolean {
  if (data.length > DONE_BYTES_MAX) return false
  const text = Buffer.from(data).toString().trim()
  return text === '' || text === '[DONE]'
}

/** The most bytes of an event that is a piece of an answer. */
export const PIECE_BYTES_MAX = 4 * 1024 * 1024
/** The same of one that may be a whole: a response with its pictures. */
export const WHOLE_BYTES_MAX = 64 * 1024 * 1024

/** The status that every stream began with. */
export const STREAM_STATUS = 200

export const NOTHING = new Uint8Array(0)
/** An event that is not for the caller. */
export const WITHHELD: StreamEvent = { kind: 'withheld', bytes: NOTHING }

const NONE: readonly StreamEvent[] = []
const DONE_BYTES_MAX = 16
const LINE_END = Buffer.from('\n')
