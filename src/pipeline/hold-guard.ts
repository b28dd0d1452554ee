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
export function guardHold(house: House, call: Call, open: OpenHold): HoldGuard {
  const acknowledged = new Promise<void>((resolve, reject) => {
    const fail = (): void => {
      reject(unwritable())
      call.leave.fire('storage')
    }
    const cancelTimer = house.clock.after(HOLD_ACK_MS_MAX, fail)
    open.durable.then(
      () => {
        cancelTimer()
        resolve()
      },
      () => {
        cancelTimer()
        fail()
      },
    )
  })
  acknowledged.catch(() => {}) // a call that ends before it needs the hold has another reason to tell
  return { onDisk: () => acknowledged }
}
