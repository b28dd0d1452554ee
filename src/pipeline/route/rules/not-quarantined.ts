import { type Exclusion, exclusionOf } from '../../../health/index.ts'
import type { Filter } from '../rule.ts'

/** Drops backends that are out. Who asks learns that and until when; who took it out, and why, is for operators. */
export const notQuarantined: Filter = {
  kind: 'filter',
  name: 'quarantined',
  applies: (_, { quarantine }) => quarantine.size > 0,
  skip({ offer: { backend }, own }, { quarantine, nowMs }) {
    const exclusion = exclusionOf(
      quarantine.get(backend.id),
      own === undefined ? backend.provider.credentials : [],
      nowMs,
    )
    if (exclusion === null) return null
    const reason = { reason: 'the backend is quarantined', evidence: evidenceOf(exclusion) }
    return exclusion.untilMs === null ? reason : { ...reason, untilMs: exclusion.untilMs }
  },
}

function evidenceOf({ cause, by, reason, sinceMs, untilMs }: Exclusion): string {
  const end = untilMs === null ? 'until it is cleared' : `until ${isoTime(untilMs)}`
  return `${cause}${by === null ? '' : ` ${by}`} since ${isoTime(sinceMs)} ${end}: ${reason}`
}

const isoTime = (ms: number): string => new Date(ms).toISOString()
