import type { Clock } from './clock.ts'

/** Wall time that no correction of the machine's clock touches: a quarantine of 15 s lasts 15 s. */
export interface SteadyClock {
  /** ms since 1970 as they were when it was made, plus the time that has passed since. */
  nowMs(): number
  /** What the machine's clock will say then, as far as is known now: for the disk and for people. */
  toWallMs(steadyMs: number): number
}

/** Makes a steady clock: it says what the wall clock says now, and goes on by the monotonic one. */
export function createSteadyClock(clock: Clock): SteadyClock {
  const startMs = clock.wallMs()
  const startUs = clock.monotonicUs()
  const nowMs = (): number => startMs + Math.floor((clock.monotonicUs() - startUs) / 1000)
  return {
    nowMs,
    toWallMs(steadyMs) {
      const apartMs = clock.wallMs() - nowMs()
      return Math.abs(apartMs) < APART_MS_MIN ? steadyMs : steadyMs + apartMs
    },
  }
}

const APART_MS_MIN = 50 // less is rounding: the same moment must be told the same each time

/** What lasts from one moment to another; null: until it is ended. */
export interface Lasting {
  readonly sinceMs: number
  readonly untilMs: number | null
}

/** The same in the time of the machine's clock, of one in steady time. */
export const inWallTime = <L extends Lasting>(steady: SteadyClock, lasting: L): L =>
  shifted(lasting, steady.toWallMs(0))

/** The same in steady time, of one in the time of the machine's clock. */
export const inSteadyTime = <L extends Lasting>(steady: SteadyClock, lasting: L): L =>
  shifted(lasting, -steady.toWallMs(0))

function shifted<L extends Lasting>(lasting: L, byMs: number): L {
  if (byMs === 0) return lasting
  const untilMs = lasting.untilMs === null ? null : lasting.untilMs + byMs
  return { ...lasting, sinceMs: lasting.sinceMs + byMs, untilMs }
}
