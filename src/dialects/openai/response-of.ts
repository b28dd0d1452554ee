import { isRecord, SseOverflow, SseSplitter, sseEvent } from '../../lib/index.ts'
import { notAnAnswer } from '../not-an-answer.ts'
import type { StreamSum } from './answer-of.ts'

type Fields = Record<string, unknown>

/** The response that a whole stream of events ends with. Where the last one has no output (some servers leave it out there), its items are those that were said on the way. */
export function responseOf(stream: Uint8Array): StreamSum {
  const splitter = new SseSplitter(EVENT_BYTES_MAX)
  splitter.push(stream)
  splitter.finish()
  const items: unknown[] = []
  try {
    while (splitter.next()) {
      const { data } = sseEvent(splitter.bytes, splitter.start, splitter.end)
      const text = data === null ? '' : Buffer.from(data).toString().trim()
      if (text === '') continue
      if (text === '[DONE]') break
      const event: unknown = JSON.parse(text)
      if (!isRecord(event)) return notAnAnswer('an event of the stream is no JSON object')
      if (event.type === 'error' || given(event.error)) return { kind: 'error', body: encoded(event) }
      if (event.type === 'response.output_item.done') items.push(event.item)
      if (ENDS.has(String(event.type)) && isRecord(event.response))
        return { kind: 'answer', body: encoded(withItems(event.response, items)) }
    }
  } catch (error) {
    if (error instanceof SyntaxError) return notAnAnswer('an event of the stream is not JSON')
    if (error instanceof SseOverflow) return notAnAnswer(error.message)
    throw error
  }
  return notAnAnswer('the stream ended before its end')
}

const EVENT_BYTES_MAX = 64 * 1024 * 1024 // the last event has the whole response in it
const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed'])
const given = (value: unknown): boolean => value !== null && value !== undefined
const encoded = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

const withItems = (response: Fields, items: readonly unknown[]): Fields =>
  Array.isArray(response.output) && response.output.length > 0 ? response : { ...response, output: items }
