import type { Candidate, OperatorCredential } from '../../../domain/index.ts'
import { type Exclusion, exclusionOf } from '../../../health/index.ts'
import { isoTime } from '../../fault-reason.ts'
import type { Filter } from '../rule.ts'

/** Drops backends that are out. Who asks learns that and until when; who took it out, and why, is for operators. */
export const notQuarantined: Filter = {
  kind: 'filter',
  name: 'quarantined',
  applies: (_, { quarantine }) => quarantine.size > 0,
  skip(candidate, { quarantine, nowMs }) {
    const row = quarantine.get(candidate.offer.backend.id)
    const exclusion = exclusionOf(row, credentialsFor(candidate), nowMs)
    if (exclusion === null) return null
    const reason = { reason: 'the backend is quarantined', evidence: evidenceOf(exclusion) }
    return exclusion.untilMs === null ? reason : { ...reason, untilMs: exclusion.untilMs }
  },
}

/** The operator's credentials that a candidate may be sent with: none in the place of an own one. */
export const credentialsFor = ({ offer, own }: Candidate): readonly OperatorCredential[] =>
  own === undefined ? offer.backend.provider.credentials : NONE

const NONE: readonly OperatorCredential[] = []

function evidenceOf({ cause, by, reason, sinceMs, untilMs }: Exclusion): string {
  const end = untilMs === null ? 'until it is cleared' : `until ${isoTime(untilMs)}`
  return `${cause}${by === null ? '' : ` ${by}`} since ${isoTime(sinceMs)} ${end}: ${reason}`
}
