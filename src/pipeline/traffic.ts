import { PassingMap, PassingSet } from '../lib/index.ts'
import type { InProgress, Traffic } from './house.ts'

/** Traffic with what only the composition root does: begin to drain, wait for the end of what runs, and make an end of it. */
export interface OpenTraffic extends Traffic {
  beginDrain(): void
  /** Tells all that still runs to stop. */
  endAll(): void
  /** Resolves when nothing is in progress. */
  whenIdle(): Promise<void>
}

/** Makes the register of what is in progress. */
export function createTraffic(): OpenTraffic {
  const alive = new PassingMap<string, InProgress>()
  const drainListeners = new PassingSet<() => void>()
  let idleWaiters: (() => void)[] = []
  let draining = false
  let settledCount = 0
  return {
    unknownBytes: 0,
    waiters: 0,
    get draining() {
      return draining
    },
    get streams() {
      return [...alive.values()].filter(({ stream }) => stream).length
    },
    get settled() {
      return settledCount
    },
    get inFlight() {
      return alive.size
    },
    add(requestId, call) {
      alive.set(requestId, call)
    },
    end(requestId, isSettled) {
      if (!alive.delete(requestId)) return
      if (isSettled) settledCount++
      if (alive.size > 0) return
      for (const resolve of idleWaiters) resolve()
      idleWaiters = []
    },
    isAlive: (requestId) => alive.has(requestId),
    onDrain(listener) {
      drainListeners.add(listener)
      return () => {
        drainListeners.delete(listener)
      }
    },
    beginDrain() {
      draining = true
      for (const listener of [...drainListeners]) listener()
    },
    endAll() {
      for (const { leave } of [...alive.values()]) leave.fire('shutdown')
    },
    whenIdle() {
      if (alive.size === 0) return Promise.resolve()
      return new Promise((resolve) => {
        idleWaiters.push(resolve)
      })
    },
  }
}
