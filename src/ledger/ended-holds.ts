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
  return {
    get: (requestId) => ends.get(requestId),
    add(requestId, settled) {
      if (ends.size >= sizeMax) {
        const oldest = ends.keys().next()
        if (!oldest.done) ends.delete(oldest.value)
      }
      ends.set(requestId, settled)
    },
  }
}
