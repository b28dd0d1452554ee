import type { Clock } from '../../../src/lib/index.ts'

/** A clock whose timers fire in their order as soon as the loop is free, and that says how long was waited for. */
export function hurriedClock(): Clock & { readonly waitedMs: number[] } {
  const waitedMs: number[] = []
  return {
    waitedMs,
    wallMs: () => 1_800_000_000_123,
    machineMs: () => 1_800_000_000_123,
    monotonicUs: () => 0,
    after(delayMs, callback) {
      waitedMs.push(delayMs)
      const timer = setImmediate(callback)
      return () => clearImmediate(timer)
    },
    every: () => () => {},
  }
}

/** A clock whose timers fire only when they are told to. */
export function heldClock(): Clock & { release(): void; waiting(count: number): Promise<void> } {
  const callbacks: (() => void)[] = []
  const watchers: { count: number; resolve: () => void }[] = []
  return {
    wallMs: () => 0,
    machineMs: () => 0,
    monotonicUs: () => 0,
    after(_delayMs, callback) {
      callbacks.push(callback)
      for (const watcher of watchers) if (callbacks.length >= watcher.count) watcher.resolve()
      return () => {}
    },
    every: () => () => {},
    release() {
      for (const callback of callbacks.splice(0)) callback()
    },
    waiting: (count) =>
      new Promise((resolve) => {
        if (callbacks.length >= count) resolve()
        else watchers.push({ count, resolve })
      }),
  }
}
