import type { CancelTimer, Clock } from '../../lib/index.ts'
import type { Family } from './exposition.ts'
import { Histogram } from './histogram.ts'

/** How late the event loop comes to a timer. */
export interface LoopLag {
  families(): readonly Family[]
  stop: CancelTimer
}

const PERIOD_MS = 100
const US_PER_MS = 1000
const BOUNDS_US = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500].map((ms) => ms * US_PER_MS)

/** Measures from now on, ten times a second: work that blocks the loop for longer than that is always seen. */
export function watchLoopLag(clock: Clock): LoopLag {
  const histogram = new Histogram(BOUNDS_US)
  let lastUs = clock.monotonicUs()
  const stop = clock.every(PERIOD_MS, () => {
    const nowUs = clock.monotonicUs()
    histogram.observe(Math.max(0, nowUs - lastUs - PERIOD_MS * US_PER_MS))
    lastUs = nowUs
  })
  return {
    families: () => [
      {
        name: 'anyrouter_event_loop_lag_seconds',
        help: 'How late the event loop came to a timer of 100 ms.',
        type: 'histogram',
        series: [{ histogram }],
      },
    ],
    stop,
  }
}
