import type { OpenHold } from '../ledger/index.ts'
import { type Call, unwritable } from './call.ts'
import type { House } from './house.ts'

const HOLD_ACK_MS_MAX = 5000

/** Watches the hold while the provider works: a hold that cannot be written, or not in 5 s, stops the call. */
export interface HoldGuard {
  /** Resolves when the hold is on disk. Throws 503 `storage_unavailable` when it will not be: then nothing was charged. */
  onDisk(): Promise<void>
}

/** Starts watching. The failure also fires the call's latch, so that the provider is aborted at once. */
export const guardHold = (house: House, call: Call, open: OpenHold): HoldGuard => new Guard(house, call, open)

class Guard implements HoldGuard {
  readonly #acknowledged = Promise.withResolvers<void>()

  readonly #house: House
  readonly #requestId: string

  constructor(house: House, call: Call, open: OpenHold) {
    this.#house = house
    this.#requestId = call.requestId
    const { promise, resolve, reject } = this.#acknowledged
    const fail = (): void => {
      cancelTimer()
      reject(unwritable())
      call.leave.fire('storage')
    }
    const cancelTimer = house.clock.after(HOLD_ACK_MS_MAX, fail)
    open.durable.then(() => {
      cancelTimer()
      resolve()
    }, fail)
    promise.catch(ignore) // a call that ends before it needs the hold has another reason to tell
  }

  onDisk(): Promise<void> {
    this.#house.ledger.hurry(this.#requestId)
    return this.#acknowledged.promise
  }
}

const ignore = (): void => {}
