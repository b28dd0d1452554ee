import { type Candidate, NO_PREFERENCES, type Offer, type Preferences } from '../../../../src/domain/index.ts'
import type { ObservedOffer } from '../../../../src/health/index.ts'
import type { AskedRequest, Filter, Ranking, Wish, World } from '../../../../src/pipeline/route/rule.ts'
import { worldOf } from './route-kit.ts'
import { candidateAt, type PlaceSpec } from './rules/policy-kit.ts'

/** What a request wishes: a prompt of 100 tokens and these preferences. */
export const wishing = (
  preferences: Partial<Preferences>,
  request: Partial<AskedRequest> = {},
  more: Partial<Wish> = {},
): Wish => ({
  model: 'acme/m',
  request: {
    choices: 1,
    outputLimit: null,
    promptTextBytes: 400,
    promptMediaUnits: 0,
    preferences: { ...NO_PREFERENCES, ...preferences },
    ...request,
  },
  ...more,
})

/** A request that wishes nothing. */
export const PLAIN: Wish = {
  model: 'acme/m',
  request: { choices: 1, outputLimit: null, promptTextBytes: 400, promptMediaUnits: 0 },
}

/** An offer of the model `acme/m`. */
export function offerAt(place: PlaceSpec, fields: Partial<Offer> = {}): Candidate {
  const { offer } = candidateAt(place)
  return { offer: { ...offer, id: `${offer.backend.id}/acme/m`, ...fields } }
}

/** Why a rule passes over a candidate; null keeps it, as a rule does that does not apply. */
export function reasonOf(rule: Filter, candidate: Candidate, wish: Wish, world: World = worldOf()): string | null {
  if (rule.applies?.(wish, world) === false) return null
  return rule.skip(candidate, world, wish)?.reason ?? null
}

/** The ids of the backends, ordered by one ranking alone; null when it does not apply. */
export function rankedBy(
  ranking: Ranking,
  candidates: readonly Candidate[],
  wish: Wish,
  world: World = worldOf(),
): readonly string[] | null {
  if (!ranking.applies(wish, world)) return null
  return candidates
    .map(({ offer }) => ({ id: offer.backend.id, key: ranking.key({ offer }, world, wish) }))
    .toSorted((one, other) => one.key - other.key)
    .map(({ id }) => id)
}

/** A world in which this was observed, by backend. */
export function seenWorld(seen: Readonly<Record<string, Partial<ObservedOffer>>>): World {
  const known = new Map(Object.entries(seen).map(([id, offer]) => [`${id}/acme/m`, { ...NOTHING, ...offer }]))
  return { ...worldOf(), observed: { version: 1, of: (offer) => known.get(offer) ?? null } }
}

const NOTHING: ObservedOffer = {
  firstContentP50Ms: null,
  firstContentP95Ms: null,
  tokensPerSecond: null,
  successRate: null,
  samples: 0,
  firstContentMs: null,
  throughput: null,
  uptime: { last5m: null, last30m: null, last1d: null },
}
