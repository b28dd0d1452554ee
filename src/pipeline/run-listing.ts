import type { AccountContext } from '../domain/index.ts'
import type { Arrival } from './call.ts'
import { ended } from './ended.ts'
import { enter } from './enter.ts'
import type { House } from './house.ts'
import { receiveHead, secretsOf } from './receive.ts'
import { withWork } from './with-work.ts'
import type { Work } from './work.ts'

/** An operation that only reads. */
export interface Listing {
  /** Whoever shows no key may read it too: then it is made for null. */
  readonly isPublic: boolean
  /** The body, for whom it is. */
  answer(context: AccountContext | null): Uint8Array
}

/** Runs an operation that only reads: the same door, no money. */
export const runListing = (house: House, arrival: Arrival, { isPublic, answer }: Listing): Promise<Response> =>
  withWork(house, arrival, async (work) => {
    const context = isPublic && isAnybody(work, arrival) ? null : (await enter(work, arrival)).context
    work.call.clock.enter('prep')
    return ended(work, answer(context))
  })

/** The head is bounded all the same. */
function isAnybody({ house, call }: Work, { request }: Arrival): boolean {
  if (secretsOf(request.headers).length > 0) return false
  receiveHead(house, call)
  return true
}
