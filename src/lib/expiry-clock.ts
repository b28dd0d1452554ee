import type { Clock } from './clock.ts'

/** The wall time by which things end: keys, credits, records. A step of the machine's clock does not reach it at once. */
export interface ExpiryClock {
  /** Ms since 1970. */
  nowMs(): number
}

const STEP_MS = 5000
const SUSPENDED_US = 60_000_000

/**
 * Makes an expiry clock. When the machine's clock is more than 5 s away from where the time that has passed would have it, `onStep` is told once by how
 * much; for 60 s time then goes on as it was, so that what a wrong clock would end does not end before somebody may have set it right. Not by wall time:
 * that never comes back from a wrong one ahead.
 */
export function createExpiryClock(
  clock: Pick<Clock, 'machineMs' | 'monotonicUs'>,
  onStep: (byMs: number) => void,
): ExpiryClock {
  let anchorMs = clock.machineMs()
  let anchorUs = clock.monotonicUs()
  let steppedUs: number | null = null
  return {
    nowMs() {
      const machineMs = clock.machineMs()
      const nowUs = clock.monotonicUs()
      const steadyMs = anchorMs + Math.floor((nowUs - anchorUs) / 1000)
      const byMs = machineMs - steadyMs
      const isStep = Math.abs(byMs) > STEP_MS
      if (isStep && steppedUs === null) {
        steppedUs = nowUs
        onStep(byMs)
      }
      if (isStep && steppedUs !== null && nowUs - steppedUs < SUSPENDED_US) return steadyMs
      steppedUs = null
      anchorMs = machineMs
      anchorUs = nowUs
      return machineMs
    },
  }
}
