import { findModel, nearNames } from '../../catalogue/index.ts'
import { type Candidate, GatewayError, type OwnSecret, type RoutePlan, type Skip } from '../../domain/index.ts'
import { skipOf } from '../skip-of.ts'
import type { Filter, Ranking, Wish, World } from './rule.ts'
import { rules } from './rules/index.ts'
import { leastBad, markTrial } from './trials.ts'

const filters = rules.filter((rule): rule is Filter => rule.kind === 'filter')
const rankings = rules.filter((rule): rule is Ranking => rule.kind === 'ranking')
const NEAR_NAMES = 3
const EMPTY_PLAN_RETRY_MS = 30_000
/** Rules whose skips last until somebody changes the account, the key or the configuration. */
const LASTING_RULES: ReadonlySet<string> = new Set(['permitted', 'priced'])

/**
 * World + wish -> route plan: the offers of the model that pass every filter, in the order of the rankings, and every skip
 * with its rule and reason. Pure. Throws 404 `model_not_found` with near names (the filter known-model).
 */
export function route(world: World, wish: Wish): RoutePlan {
  const model = findModel(world.catalogue, wish.model)
  if (model === null) throw unknownModel(world, wish)
  const skips: Skip[] = []
  const offers = model.offers.map((offer): Candidate => ({ offer }))
  const { own } = world.context
  let candidates: readonly Candidate[] = own.length === 0 ? offers : withOwn(offers, own)
  for (const filter of filters) candidates = applyFilter(filter, candidates, world, wish, skips)
  if (candidates.length === 0) return planOfLeastBad(model.id, leastBad(offers, skips, world), skips)
  const ordered = order(candidates, rankings, world, wish)
  return {
    model: model.id,
    candidates: world.quarantine.size === 0 ? ordered : ordered.map((candidate) => markTrial(candidate, world)),
    skips,
  }
}

/** An offer may be tried with each own credential of its provider too, in the order of their creation. */
const withOwn = (offers: readonly Candidate[], own: readonly OwnSecret[]): Candidate[] =>
  offers.flatMap((candidate) => [
    ...own
      .filter(({ provider }) => provider === candidate.offer.backend.provider.id)
      .map((credential) => ({ ...candidate, own: credential })),
    candidate,
  ])

const planOfLeastBad = (model: string, candidate: Candidate | null, skips: readonly Skip[]): RoutePlan => ({
  model,
  candidates: candidate === null ? [] : [candidate],
  skips:
    candidate === null
      ? skips
      : skips.filter(({ offer, credential }) => offer !== candidate.offer.id || credential !== undefined),
})

/**
 * The refusal of a plan without candidates: 403 when the key is the reason, else 503, with Retry-After when waiting can help: the first
 * end of a quarantine, where one ends by itself. Throws.
 */
export function refuseEmptyPlan(plan: RoutePlan, nowMs: number): void {
  if (plan.candidates.length > 0) return
  if (plan.skips.length > 0 && plan.skips.every((skip) => skip.rule === 'permitted'))
    throw new GatewayError('model_not_permitted', `This key may not use the model '${plan.model}'.`, { param: 'model' })
  const extra = { skips: plan.skips.map(({ rule, reason }) => ({ rule, reason })) }
  const reasons = [...new Set(plan.skips.map((skip) => skip.reason))].join('; ') || 'it has no offer'
  // Where waiting cannot help, an SDK told to come back in 30 s would keep its caller waiting for nothing.
  const passing = plan.skips.some((skip) => !LASTING_RULES.has(skip.rule))
  throw new GatewayError('no_backend', `No backend can serve the model '${plan.model}' now: ${reasons}.`, {
    extra,
    ...(passing ? { retryAfterMs: waitMs(plan, nowMs) } : { retryable: false }),
  })
}

function waitMs({ skips }: RoutePlan, nowMs: number): number {
  const ends = skips.flatMap(({ untilMs }) => (untilMs === undefined ? [] : [untilMs]))
  return ends.length === 0 ? EMPTY_PLAN_RETRY_MS : Math.min(...ends) - nowMs
}

function applyFilter(
  rule: Filter,
  candidates: readonly Candidate[],
  world: World,
  wish: Wish,
  skips: Skip[],
): Candidate[] {
  return candidates.filter((candidate) => {
    const reason = rule.skip(candidate, world, wish)
    if (reason !== null) skips.push(skipOf(candidate, rule.name, reason))
    return reason === null
  })
}

/** Sorts by one comparison key, from left to right; ties that remain keep the order they came in. */
function order(candidates: readonly Candidate[], rankings: readonly Ranking[], world: World, wish: Wish): Candidate[] {
  const keyed = candidates.map((candidate, position) => ({
    candidate,
    keys: rankings.map((ranking) => ranking.key(candidate, position, world, wish)),
  }))
  keyed.sort((one, other) => compareKeys(one.keys, other.keys))
  return keyed.map(({ candidate }) => candidate)
}

function compareKeys(one: readonly number[], other: readonly number[]): number {
  for (const [at, key] of one.entries()) {
    const difference = key - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** 404 `model_not_found`, with the nearest names that the key may use. */
export function unknownModel(
  { catalogue, context }: Pick<World, 'catalogue' | 'context'>,
  { model }: Wish,
): GatewayError {
  const permitted = context.key.models
  const near = nearNames(catalogue, model, NEAR_NAMES).filter((name) => permitted === null || permitted.includes(name))
  const hint = near.length === 0 ? '' : ` Did you mean ${near.map((name) => `'${name}'`).join(' or ')}?`
  return new GatewayError(
    'model_not_found',
    `The model '${clip(model)}' does not exist or you do not have access to it.${hint}`,
    { param: 'model' },
  )
}

const NAME_SHOWN_MAX = 200
const clip = (name: string): string => (name.length > NAME_SHOWN_MAX ? `${name.slice(0, NAME_SHOWN_MAX)}…` : name)
