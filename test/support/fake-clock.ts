import type { CancelTimer, Clock } from '../../src/lib/index.ts'

/** A clock that stands still until told: `advance` runs the timers that fall due, in their order. */
export interface FakeClock extends Clock {
  advance(ms: number): void
  advanceUs(us: number): void
  /** Somebody sets the wall clock: no time passes. */
  stepWall(ms: number): void
  /** Timers that are still set. */
  readonly timers: number
}

interface Timer {
  dueUs: number
  readonly order: number
  readonly periodUs: number | null
  readonly callback: () => void
}

/** Makes a fake clock; wall time begins at `startMs`. */
export function fakeClock(startMs = 1_800_000_000_000): FakeClock {
  const timers = new Set<Timer>()
  let nowUs = 0
  let steppedMs = 0
  let order = 0

  function set(delayMs: number, callback: () => void, repeats: boolean): CancelTimer {
    const periodUs = Math.max(0, Math.round(delayMs * 1000))
    const timer: Timer = { dueUs: nowUs + periodUs, order: order++, periodUs: repeats ? periodUs : null, callback }
    timers.add(timer)
    return () => {
      timers.delete(timer)
    }
  }

  function advanceUs(us: number): void {
    const endUs = nowUs + us
    for (;;) {
      const due = [...timers]
        .filter((timer) => timer.dueUs <= endUs)
        .sort((one, other) => one.dueUs - other.dueUs || one.order - other.order)[0]
      if (due === undefined) break
      nowUs = Math.max(nowUs, due.dueUs)
      if (due.periodUs === null) timers.delete(due)
      else due.dueUs += Math.max(1, due.periodUs)
      due.callback()
    }
    nowUs = endUs
  }

  const wallMs = (): number => startMs + steppedMs + Math.floor(nowUs / 1000)

  return {
    wallMs,
    machineMs: wallMs,
    monotonicUs: () => nowUs,
    after: (delayMs, callback) => set(delayMs, callback, false),
    every: (periodMs, callback) => set(periodMs, callback, true),
    advance: (ms) => advanceUs(ms * 1000),
    advanceUs,
    stepWall(ms) {
      steppedMs += ms
    },
    get timers() {
      return timers.size
    },
  }
}

/** Lets everything run that only waits for promises. */
export async function settleMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}
