import type { GatewayError } from '../domain/index.ts'
import type { Settled } from '../ledger/index.ts'
import { errorAnswer } from './answer.ts'
import { conclude } from './conclude.ts'
import type { Work } from './work.ts'

/** Ends a request with an error: told, recorded, over. */
export function refused({ house, call, over }: Work, error: GatewayError, settled: Settled | null): Response {
  call.clock.post()
  const timing = call.clock.read()
  over(settled) // first: whatever happens to the record, nothing is left to wait for
  conclude(house, call, { status: error.status, error, timing, settled })
  return errorAnswer(call, timing, error)
}
