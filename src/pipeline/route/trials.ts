import type { Candidate, Skip } from '../../domain/index.ts'
import { standingOf } from '../../health/index.ts'
import type { World } from './rule.ts'
import { notCooling } from './rules/not-cooling.ts'
import { credentialsFor, notQuarantined } from './rules/not-quarantined.ts'

/** Marks a candidate that is to be proved, so that it gets one request at a time. */
export function markTrial(candidate: Candidate, { quarantine, nowMs }: World): Candidate {
  const row = quarantine.get(candidate.offer.backend.id)
  if (row === undefined) return candidate
  const isHalfOpen = standingOf(row, credentialsFor(candidate), nowMs).kind === 'half_open'
  return isHalfOpen ? { ...candidate, trial: 'half_open' } : candidate
}

/**
 * Of candidates that were dropped for failures and nothing else, the one that comes in first, then in their order; null when there is none, or
 * the operator does not want it.
 */
export function leastBad(all: readonly Candidate[], skips: readonly Skip[], world: World): Candidate | null {
  if (!world.triesLeastBad) return null
  let best: { readonly candidate: Candidate; readonly untilMs: number } | null = null
  for (const candidate of all) {
    const skip = skips.find((one) => isOf(one, candidate))
    const untilMs = skip !== undefined && FOR_HEALTH.has(skip.rule) ? failsUntil(candidate, world) : null
    if (untilMs !== null && (best === null || untilMs < best.untilMs)) best = { candidate, untilMs }
  }
  return best === null ? null : { ...best.candidate, trial: 'least_bad' }
}

/** Whether it is the skip of this candidate. */
export const isOf = ({ offer, credential }: Skip, candidate: Candidate): boolean =>
  offer === candidate.offer.id && credential === candidate.own?.id

/** The last filters: what they drop has passed all others. */
const FOR_HEALTH: ReadonlySet<string> = new Set([notQuarantined.name, notCooling.name])

/** Null when more than failures speaks against it. */
function failsUntil(candidate: Candidate, { quarantine, coolings, nowMs }: World): number | null {
  const { backend } = candidate.offer
  const standing = standingOf(quarantine.get(backend.id), credentialsFor(candidate), nowMs)
  const coolingUntilMs = coolings.get(backend.id)?.untilMs ?? nowMs
  if (standing.kind !== 'out') return coolingUntilMs
  if (!standing.onlyFailures || standing.exclusion.untilMs === null) return null
  return Math.max(standing.exclusion.untilMs, coolingUntilMs)
}
