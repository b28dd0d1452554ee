import { GatewayError } from '../domain/index.ts'
import type { OpenHold } from '../ledger/index.ts'
import type { Durable } from '../store/index.ts'
import type { Call } from './call.ts'
import type { House } from './house.ts'

const HOLD_ACK_MS_MAX = 5000

/** Watches the hold while the provider works: a hold that cannot be written, or not in 5 s, stops the call. */
export interface HoldGuard {
  /**
   * Resolves when the hold is on disk, or already its settlement. Throws 503 `storage_unavailable` when it will not be. A settlement is
   * kept until it is written, also when the commit of its hold failed: what is charged is waited for 5 s more.
   */
  onDisk(settlement?: Durable): Promise<void>
}

/** Starts watching. The failure also fires the call's latch, so that the provider is aborted at once. */
export function guardHold(house: House, call: Call, open: OpenHold): HoldGuard {
  const acknowledged = new Promise<void>((resolve, reject) => {
    const fail = (): void => {
      reject(unwritten(' Nothing was charged.'))
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
  return {
    onDisk(settlement) {
      if (settlement === undefined) return acknowledged
      return Promise.race([acknowledged, settlement]).catch(() => waitOut(house, acknowledged, settlement))
    },
  }
}

/** The hold failed. So did the settlement if it came after that, and then nothing is charged; else it is still to be written. */
function waitOut({ clock }: House, acknowledged: Promise<void>, settlement: Durable): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancelTimer = clock.after(HOLD_ACK_MS_MAX, () => reject(unwritten('')))
    settlement.then(resolve, () => acknowledged.catch(reject)).finally(cancelTimer)
  })
}

const unwritten = (charged: string): GatewayError =>
  new GatewayError('storage_unavailable', `The ledger cannot be written.${charged} Please try again later.`, {
    retryable: false,
  })
