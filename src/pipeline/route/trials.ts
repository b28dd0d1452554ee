import type { Candidate, Skip } from '../../domain/index.ts'
import { standingOf } from '../../health/index.ts'
import type { World } from './rule.ts'
import { notCooling } from './rules/not-cooling.ts'
import { notQuarantined } from './rules/not-quarantined.ts'

/** Marks a candidate that is to be proved, so that it gets one request at a time. */
export function markTrial(candidate: Candidate, { quarantine, nowMs }: World): Candidate {
  const {
    offer: { backend },
    own,
  } = candidate
  const row = quarantine.get(backend.id)
  if (row === undefined) return candidate
  const isHalfOpen = standingOf(row, own === undefined ? backend.provider.credentials : [], nowMs).kind === 'half_open'
  return isHalfOpen ? { ...candidate, trial: 'half_open' } : candidate
}

/**
 * Of offers that were dropped for failures and nothing else, the one that comes in first, then in their order; null when there is none, or
 * the operator does not want it.
 */
export function leastBad(offers: readonly Candidate[], skips: readonly Skip[], world: World): Candidate | null {
  if (!world.triesLeastBad) return null
  let best: { readonly candidate: Candidate; readonly untilMs: number } | null = null
  for (const candidate of offers) {
    const skip = skips.find(({ offer, credential }) => offer === candidate.offer.id && credential === undefined)
    const untilMs = skip !== undefined && FOR_HEALTH.has(skip.rule) ? failsUntil(candidate, world) : null
    if (untilMs !== null && (best === null || untilMs < best.untilMs)) best = { candidate, untilMs }
  }
  return best === null ? null : { ...best.candidate, trial: 'least_bad' }
}

/** The last filters: what they drop has passed all others. */
const FOR_HEALTH: ReadonlySet<string> = new Set([notQuarantined.name, notCooling.name])

/** Null when more than failures speaks against it. */
function failsUntil({ offer: { backend } }: Candidate, { quarantine, coolings, nowMs }: World): number | null {
  const standing = standingOf(quarantine.get(backend.id), backend.provider.credentials, nowMs)
  const coolingUntilMs = coolings.get(backend.id)?.untilMs ?? nowMs
  if (standing.kind !== 'out') return coolingUntilMs
  if (!standing.onlyFailures || standing.exclusion.untilMs === null) return null
  return Math.max(standing.exclusion.untilMs, coolingUntilMs)
}
