import type { BackendId, ModelId } from './catalogue.ts'

/** One slice of time of what was observed of an offer, as it is kept on disk. */
export interface ObservedSlice {
  /** The offer's id. */
  readonly offer: string
  readonly lengthMs: number
  readonly startsAtMs: number
  /** Attempts that ended, and how many of them badly. */
  readonly ended: number
  readonly failed: number
  /** Of logarithmic histograms, `bucket:count` parted by spaces; empty for slices that count endings alone. */
  readonly firstContent: string
  readonly throughput: string
  /** From then on no window reaches it. */
  readonly expiresAtMs: number
}

/** Which backend a session stays with, for one model. */
export interface StickyRow {
  readonly accountId: string
  /** As the caller named it: it means something within its account alone. */
  readonly session: string
  readonly model: ModelId
  readonly backend: BackendId
  /** Tokens of its last prompt, where the provider reported that it keeps prompts; else 0. */
  readonly cachedTokens: number
  readonly usedAtMs: number
}

/** What became of a session with this request: it began at a backend, was served where it stays, or elsewhere. */
export type Stickiness = { readonly kind: 'new' } | { readonly kind: 'kept' } | Departure

/** `away`: this once; `moved`: it stays there from now on. */
export interface Departure {
  readonly kind: 'away' | 'moved'
  readonly from: BackendId
  /** Why not with the backend where it stayed. */
  readonly rule: string
  readonly reason: string
}
