import type { Settled } from './contract.ts'

/** How holds ended, by request id, for as long as somebody may end them again. */
export interface EndedHolds {
  get(requestId: string): Settled | undefined
  add(requestId: string, settled: Settled): void
}

/**
 * Makes a memory of the last `sizeMax` ends; the oldest go first. A second end follows the first within the same request, at once; should
 * one ever come so late that the first is forgotten, there is no hold either, and the ledger throws rather than charge.
 */
export function createEndedHolds(sizeMax: number): EndedHolds {
  const ends = new Map<string, Settled>()
  // The order is kept apart: to ask a Map for its oldest key takes as long as it has lost keys since it last grew (30 µs measured).
  const order: string[] = []
  let next = 0
  return {
    get: (requestId) => ends.get(requestId),
    add(requestId, settled) {
      const oldest = order[next]
      if (oldest !== undefined) ends.delete(oldest)
      order[next] = requestId
      next = (next + 1) % sizeMax
      ends.set(requestId, settled)
    },
  }
}
