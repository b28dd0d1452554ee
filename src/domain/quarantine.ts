import type { BackendId } from './catalogue.ts'

/** All that keeps a backend out, as stored: one row per backend, each cause a field of its own, so that one never hides another. */
export interface QuarantineRow {
  readonly backend: BackendId
  /** What an operator said; null when nobody did, or it was cleared. Whether it has ended already, the clock tells. */
  readonly operator: OperatorCause | null
  /** Counts the changes of the row. */
  readonly version: number
}

/** An operator's order to send a backend nothing. */
export interface OperatorCause {
  /** `local:<uid>` or a management key's id. */
  readonly by: string
  readonly reason: string
  readonly sinceMs: number
  /** Null: until it is cleared. */
  readonly untilMs: number | null
}
