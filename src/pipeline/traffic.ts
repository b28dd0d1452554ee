import { PassingMap } from '../lib/index.ts'
import { BodyRoom } from './body-room.ts'
import type { InProgress, Traffic } from './house.ts'

/** Traffic with what only the composition root does: begin to drain, wait for the end of what runs, and make an end of it. */
export interface OpenTraffic extends Traffic {
  /** Nothing new is taken. What has not come whole is told to stop; the rest is served. */
  beginDrain(): void
  /** Tells all that still runs to stop. */
  endAll(): void
  /** Resolves when nothing is in progress. */
  whenIdle(): Promise<void>
}

/** Makes the register of what is in progress. */
export function createTraffic(): OpenTraffic {
  const alive = new PassingMap<string, InProgress>()
  let idleWaiters: (() => void)[] = []
  let draining = false
  let settledCount = 0
  return {
    unknownBytes: 0,
    bodies: new BodyRoom(),
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
    beginDrain() {
      draining = true
      for (const { isReceiving, leave } of [...alive.values()]) if (isReceiving) leave.fire('shutdown')
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
