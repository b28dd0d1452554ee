import type { AccountContext } from '../domain/index.ts'
import { asGatewayError, plainAnswer } from './answer.ts'
import type { Arrival } from './call.ts'
import { conclude } from './conclude.ts'
import { enter } from './enter.ts'
import type { House } from './house.ts'
import { receiveHead, secretsOf } from './receive.ts'
import { refused } from './refused.ts'
import { beginWork, type Work } from './work.ts'

/** An operation that only reads. */
export interface Listing {
  /** Whoever shows no key may read it too: then it is made for null. */
  readonly isPublic: boolean
  /** The body, for whom it is. */
  answer(context: AccountContext | null): Uint8Array
}

/** Runs an operation that only reads: the same door, no money. */
export async function runListing(house: House, arrival: Arrival, { isPublic, answer }: Listing): Promise<Response> {
  const work = beginWork(house, arrival)
  const { call } = work
  try {
    const context = isPublic && isAnybody(work, arrival) ? null : (await enter(work, arrival)).context
    call.clock.enter('prep')
    const body = answer(context)
    call.clock.post()
    const timing = call.clock.read()
    work.over(null)
    conclude(house, call, { status: 200, error: null, timing, settled: null })
    return plainAnswer(call, timing, body)
  } catch (thrown) {
    return refused(work, asGatewayError(thrown), null)
  }
}

/** The head is bounded all the same. */
function isAnybody({ house, call }: Work, { request }: Arrival): boolean {
  if (secretsOf(request.headers).length > 0) return false
  receiveHead(house, call)
  return true
}
