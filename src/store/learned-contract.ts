import type { ObservedSlice, StickyRow } from '../domain/index.ts'

/** What the gateway learned of backends and sessions, to be known again after a restart: derived, and in the records file. */
export interface Learned {
  /** Offers of which nothing that was written before says anything any more. */
  readonly forgotten: readonly string[]
  readonly observed: readonly ObservedSlice[]
  readonly sticky: readonly StickyRow[]
  /** Slices that expired before the first, and sessions not used since the second, are deleted; null: nothing is. */
  readonly expired: { readonly observedMs: number; readonly stickyMs: number } | null
}

/** A part of `Writer`. */
export interface LearnedWrites {
  /** Best effort, no promise, outside of the batches: of each slice and session the newest stays. May be lost in a crash. */
  learned(learned: Learned): void
}

/** A part of `Reader`: each read once, at the start. */
export interface LearnedReads {
  /** Slices that expire later than that. */
  observed(nowMs: number): Promise<readonly ObservedSlice[]>
  /** Sessions that were used since then: at most so many, those used last, in the order of their use. */
  sticky(sinceMs: number, rowsMax: number): Promise<readonly StickyRow[]>
}
