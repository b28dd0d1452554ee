import type { Settled } from './contract.ts'

/** How holds ended, by request id, for as long as somebody may end them again. */
export interface EndedHolds {
  get(requestId: string): Settled | undefined
  add(requestId: string, settled: Settled): void
  /** One that ended by itself: its request is still to end it, however late that is. */
  keep(requestId: string, settled: Settled): void
  /** Those of requests that are no more are not awaited. */
  forget(isAlive: (requestId: string) => boolean): void
}

const AT_ONCE_MAX = 128

/**
 * Makes a memory of the last 128 ends at least, and of those that are awaited. A second end follows the first within the same request, at once; should
 * one ever come so late that the first is forgotten, there is no hold either, and the ledger throws rather than charge. It is short so that an end
 * does not outlive the next collection of young objects, and forgets by the half so that nothing is deleted (docs/decisions/027).
 */
export function createEndedHolds(): EndedHolds {
  const awaited = new Map<string, Settled>()
  let young = new Map<string, Settled>()
  let old = young
  return {
    get: (requestId) => young.get(requestId) ?? old.get(requestId) ?? awaited.get(requestId),
    add(requestId, settled) {
      if (young.size >= AT_ONCE_MAX) {
        old = young
        young = new Map()
      }
      young.set(requestId, settled)
    },
    keep(requestId, settled) {
      awaited.set(requestId, settled)
    },
    forget(isAlive) {
      for (const requestId of awaited.keys()) if (!isAlive(requestId)) awaited.delete(requestId)
    },
  }
}
