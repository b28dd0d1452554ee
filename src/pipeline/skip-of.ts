import type { Candidate, Skip } from '../domain/index.ts'

/** The record of a skip. */
export function skipOf(candidate: Candidate, rule: string, why: SkipReason): Skip {
  const { offer, own } = candidate
  const credential = own === undefined ? {} : { credential: own.id }
  return { offer: offer.id, backend: offer.backend.id, ...credential, rule, ...why }
}

export interface SkipReason {
  readonly reason: string
  /** For operators only. */
  readonly evidence?: string
  /** When the reason ends by itself, where it does. */
  readonly untilMs?: number
}
