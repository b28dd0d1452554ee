import { WHOLE_BYTES_MAX } from '../event-stream.ts'
import { given } from '../given.ts'
import { isFields, parseLossless } from '../parse-lossless.ts'
import { NO_END, NO_OBJECT, type StreamSum, streamSum, summed } from '../stream-sum.ts'

type Fields = Record<string, unknown>

/** The response that a whole stream of events ends with. Where the last one has no output (some servers leave it out there), its items are those that were said on the way. */
export function responseOf(stream: Uint8Array): StreamSum {
  return streamSum(stream, WHOLE_BYTES_MAX, (events) => {
    const items: unknown[] = []
    for (const { text } of events) {
      if (text === '[DONE]') break
      const event = parseLossless(text)
      if (!isFields(event)) return NO_OBJECT
      if (event.type === 'error' || given(event.error)) return summed('error', event)
      if (event.type === 'response.output_item.done') items.push(event.item)
      if (ENDS.has(event.type) && isFields(event.response)) return summed('answer', withItems(event.response, items))
    }
    return NO_END
  })
}

const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed'])

const withItems = (response: Fields, items: readonly unknown[]): Fields =>
  Array.isArray(response.output) && response.output.length > 0 ? response : { ...response, output: items }
