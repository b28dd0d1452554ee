import type { BackendId } from './catalogue.ts'

/** All that keeps a backend out, as stored: one row per backend, each cause a field of its own, so that one never hides another. */
export interface QuarantineRow extends FoundCauses {
  /** What an operator said; null when nobody did, or it was cleared. Whether it has ended already, the clock tells. */
  readonly operator: OperatorCause | null
  /** Grows with each order of an operator. */
  readonly version: number
}

/**
 * What the gateway found out by itself. A cause whose time is over stays until a success proves the backend: up to then it is half-open, and
 * gets one request at a time.
 */
export interface FoundCauses {
  readonly backend: BackendId
  readonly failures: FailureCause | null
  readonly throttle: ThrottleCause | null
  /** The operator's credentials that are in trouble here, each with a cause of its own. */
  readonly credentials: readonly CredentialCause[]
}

/** No cause, and nothing that was ever said. */
export const NO_CAUSES: Omit<QuarantineRow, 'backend'> = {
  failures: null,
  throttle: null,
  credentials: [],
  operator: null,
  version: 0,
}

/** A time of waiting that was found out. */
interface FoundCause {
  readonly sinceMs: number
  readonly untilMs: number
  /** What the time of waiting was reckoned from; the next one is twice as long. */
  readonly backoffMs: number
  /** For operators: what was seen. */
  readonly evidence: string
}

/** The backend failed too often. */
export interface FailureCause extends FoundCause {
  /** Of the last minute (or whatever the window is) when it was opened, and every failed trial since. */
  readonly count: number
  /** In a row. */
  readonly streak: number
  /** Of the last one; null when it had no answer. */
  readonly lastStatus: number | null
}

/** The backend as a whole takes no more for now. */
export interface ThrottleCause extends FoundCause {
  /** Who set the time. */
  readonly source: 'retry_after' | 'back_off'
}

/** One of the operator's credentials is refused or throttled. */
export interface CredentialCause extends FoundCause {
  readonly credential: string
  /** Tells its secret from another under the same id: a changed one begins anew. */
  readonly mark: string
  readonly kind: 'denied' | 'throttled'
  readonly source: 'retry_after' | 'back_off'
  readonly lastStatus: number
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
