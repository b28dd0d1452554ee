import type { Clock } from './clock.ts'

/** The wall time by which things end: keys, credits. A step of the machine's clock does not reach it at once. */
export interface ExpiryClock {
  /** Ms since 1970. */
  nowMs(): number
}

const STEP_MS = 5000
const SUSPENDED_US = 60_000_000

/**
 * Makes an expiry clock. When the wall clock is more than 5 s away from where the time that has passed would have it, `onStep` is told once by how
 * much; for 60 s time then goes on as it was, so that what a wrong clock would end does not end before somebody may have set it right.
 */
export function createExpiryClock(clock: Clock, onStep: (byMs: number) => void): ExpiryClock {
  let anchorMs = clock.wallMs()
  let anchorUs = clock.monotonicUs()
  let steppedUs: number | null = null
  return {
    nowMs() {
      const wallMs = clock.wallMs()
      const nowUs = clock.monotonicUs()
      const steadyMs = anchorMs + Math.floor((nowUs - anchorUs) / 1000)
      const byMs = wallMs - steadyMs
      const isStep = Math.abs(byMs) > STEP_MS
      if (isStep && steppedUs === null) {
        steppedUs = nowUs
        onStep(byMs)
      }
      if (isStep && steppedUs !== null && nowUs - steppedUs < SUSPENDED_US) return steadyMs
      steppedUs = null
      anchorMs = wallMs
      anchorUs = nowUs
      return wallMs
    },
  }
}
