import { plainAnswer } from './answer.ts'
import { conclude } from './conclude.ts'
import type { Work } from './work.ts'

/** Ends a request that costs nothing with this whole answer. */
export function ended({ house, call, over }: Work, body: Uint8Array, mediaType?: string): Response {
  call.clock.post()
  const timing = call.clock.read()
  over(null)
  conclude(house, call, { status: 200, error: null, timing, settled: null })
  return plainAnswer(call, timing, body, mediaType)
}
