import type { Offer } from './catalogue.ts'
import type { OwnSecret } from './own-credential.ts'

/** An offer considered for a request. */
export interface Candidate {
  readonly offer: Offer
  /** The account's own credential that it is to be sent with; absent: one of the operator's. */
  readonly own?: OwnSecret
  /**
   * It would be the one request of a backend that is to be proved; `least_bad`: of one that is out, as all are. Who does not win the trial
   * passes it over.
   */
  readonly trial?: 'half_open' | 'least_bad'
}

/** A candidate passed over: by which rule, and why. `evidence` is for operators only. */
export interface Skip {
  readonly offer: string
  readonly backend: string
  /** The id of the own credential that it would have been sent with. */
  readonly credential?: string
  readonly rule: string
  readonly reason: string
  readonly evidence?: string
  /** Wall time at which the reason ends by itself, where it does. */
  readonly untilMs?: number
}

/** Candidates in order, and the skips. */
export interface RoutePlan {
  /** The id of the first model that may serve it. */
  readonly model: string
  /** The router model that was asked for. */
  readonly router?: string
  readonly candidates: readonly Candidate[]
  readonly skips: readonly Skip[]
}
