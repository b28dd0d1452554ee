/** Time and timers, as an argument: tests decide what time it is. */
export interface Clock {
  /** Wall time in ms since 1970. Never goes back inside a process. */
  wallMs(): number
  /** What the machine's clock says, in ms since 1970: for who asks whether it is right. It goes wherever it is set. */
  machineMs(): number
  /** Monotonic time in microseconds, an integer. Only differences mean something. */
  monotonicUs(): number
  /** Calls back once, not before `delayMs` have passed. The answer cancels it. */
  after(delayMs: number, callback: () => void): CancelTimer
  /** Calls back every `periodMs`; never keeps the process alive by itself. */
  every(periodMs: number, callback: () => void): CancelTimer
}

export type CancelTimer = () => void

/** The machine's own clock. */
export function systemClock(): Clock {
  let latestMs = 0
  return {
    machineMs: () => Date.now(),
    wallMs() {
      latestMs = Math.max(latestMs, Date.now())
      return latestMs
    },
    monotonicUs: () => Math.round(performance.now() * 1000),
    after(delayMs, callback) {
      const timer = setTimeout(callback, delayMs)
      return () => clearTimeout(timer)
    },
    every(periodMs, callback) {
      const timer = setInterval(callback, periodMs)
      timer.unref()
      return () => clearInterval(timer)
    },
  }
}

/** A promise that resolves after `delayMs` on this clock. */
export function delay(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve)
  })
}
