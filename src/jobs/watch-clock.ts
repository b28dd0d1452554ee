import type { CancelTimer, Clock, ExpiryClock } from '../lib/index.ts'

const PERIOD_MS = 1000

/** Looks at the wall clock once a second, so that a step of it is told when it happens, whether or not anybody asks for the time. */
export const watchClock = ({
  clock,
  expiries,
}: {
  readonly clock: Clock
  readonly expiries: ExpiryClock
}): CancelTimer => clock.every(PERIOD_MS, () => void expiries.nowMs())
