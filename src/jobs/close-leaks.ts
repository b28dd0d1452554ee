import type { Ledger } from '../ledger/index.ts'
import type { CancelTimer, Clock } from '../lib/index.ts'
import type { Traffic } from '../pipeline/index.ts'
import type { Log } from '../telemetry/index.ts'

const PERIOD_MS = 30_000

/** Ends holds that no live request owns. There should be none: each is a bug, voided, counted and logged. */
export function closeLeaks({
  clock,
  log,
  ledger,
  traffic,
}: {
  clock: Clock
  log: Log
  ledger: Ledger
  traffic: Traffic
}): CancelTimer {
  return clock.every(PERIOD_MS, () => {
    const ended = ledger.endLeaks((requestId) => traffic.isAlive(requestId))
    if (ended > 0) log.error('hold_leak', { ended })
  })
}
