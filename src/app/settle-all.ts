import type { Clock } from '../lib/index.ts'
import type { House, OpenTraffic } from '../pipeline/index.ts'
import type { Store } from '../store/index.ts'
import type { EndReport } from './proven-in-time.ts'

const PROGRESS_MS = 1000
const UNWRITABLE_TIMES_MAX = 5
const END_MS = 10_000

export interface Settling {
  readonly clock: Clock
  readonly traffic: OpenTraffic
  readonly writer: Pick<Store['writer'], 'accepting'>
  readonly ledger: Pick<House['ledger'], 'stats'>
  /** How long it waits before it makes an end. */
  readonly drainMs: number
}

/**
 * Waits until all that runs is settled. After `drainMs` it ends what still runs, and 10 s later it waits no more; so it does when nothing
 * but the disk is waited for and it has taken nothing for 5 s: recovery at the next start closes those holds.
 */
export function settleAll(
  { clock, traffic, writer, ledger, drainMs }: Settling,
  onProgress?: (inFlight: number) => void,
): Promise<void> {
  if (traffic.inFlight > 0) onProgress?.(traffic.inFlight)
  let unwritable = 0
  return new Promise((resolve) => {
    const cancel = clock.every(PROGRESS_MS, () => {
      onProgress?.(traffic.inFlight)
      unwritable = writer.accepting() || ledger.stats().openHolds > 0 ? 0 : unwritable + 1
      if (unwritable >= UNWRITABLE_TIMES_MAX) finish()
    })
    const finish = (): void => {
      cancel()
      cancelEnd()
      resolve()
    }
    let cancelEnd = clock.after(drainMs, () => {
      cancelEnd = clock.after(END_MS, finish)
      traffic.endAll()
    })
    void traffic.whenIdle().then(finish)
  })
}

/** The report on a ledger with this many settlements that were never written. */
export function withUnsettled(verify: EndReport, left: number): EndReport {
  if (left === 0) return verify
  const fault = `settlements that the disk did not take: ${left}; the next start closes their holds`
  return { ...verify, clean: false, faults: [...verify.faults, fault] }
}
