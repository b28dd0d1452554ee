import { SseOverflow, SseSplitter, sseEvent } from '../lib/index.ts'
import { notAnAnswer } from './not-an-answer.ts'

/** What a whole stream comes to, for a provider that sends one where a plain answer was asked for. */
export type StreamSum =
  | { readonly kind: 'answer'; readonly body: Uint8Array }
  /** The event with which the provider said that it failed. */
  | { readonly kind: 'error'; readonly body: Uint8Array }
  | { readonly kind: 'not_an_answer'; readonly message: string }

/** One event of a whole stream. */
export interface SaidEvent {
  readonly name: string | null
  /** Its data, never empty. */
  readonly text: string
}

/**
 * What `sum` makes of a stream's events, each at most so large. A `SyntaxError` that it throws says that one is no JSON, a `RangeError` that it is
 * nested too deeply.
 */
export function streamSum(
  stream: Uint8Array,
  eventBytesMax: number,
  sum: (events: Iterable<SaidEvent>) => StreamSum,
): StreamSum {
  try {
    return sum(eventsIn(stream, eventBytesMax))
  } catch (error) {
    if (error instanceof SyntaxError) return notAnAnswer('an event of the stream is not JSON')
    if (error instanceof RangeError) return notAnAnswer('an event of the stream is nested too deeply') // for the stack
    if (error instanceof SseOverflow) return notAnAnswer(error.message)
    throw error
  }
}

/** A sum whose body is this value. */
export const summed = (kind: 'answer' | 'error', value: unknown): StreamSum => ({
  kind,
  body: Buffer.from(JSON.stringify(value)),
})

/** The sum of a stream with an event that is JSON, but no object. */
export const NO_OBJECT: StreamSum = notAnAnswer('an event of the stream is no JSON object')
/** The sum of a stream that lacks its end. */
export const NO_END: StreamSum = notAnAnswer('the stream ended before its end')

function* eventsIn(stream: Uint8Array, eventBytesMax: number): Generator<SaidEvent> {
  const splitter = new SseSplitter(eventBytesMax)
  splitter.push(stream)
  splitter.finish()
  while (splitter.next()) {
    const { name, data } = sseEvent(splitter.bytes, splitter.start, splitter.end)
    const text = data === null ? '' : Buffer.from(data).toString().trim()
    if (text !== '') yield { name, text }
  }
}
