import { findModel, nearNames } from '../../catalogue/index.ts'
import { type Candidate, GatewayError, type OwnSecret, type RoutePlan, type Skip } from '../../domain/index.ts'
import { skipOf } from '../skip-of.ts'
import { mayNameModel } from './may-use-model.ts'
import type { Filter, Ranking, Wish, World } from './rule.ts'
import { rules } from './rules/index.ts'
import { leastBad, markTrial } from './trials.ts'

const filters = rules.filter((rule): rule is Filter => rule.kind === 'filter')
const rankings = rules.filter((rule): rule is Ranking => rule.kind === 'ranking')
const NEAR_NAMES = 3

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
  const near = nearNames(catalogue, model, NEAR_NAMES).filter((name) => mayNameModel({ context }, name))
  const hint = near.length === 0 ? '' : ` Did you mean ${near.map((name) => `'${name}'`).join(' or ')}?`
  return new GatewayError(
    'model_not_found',
    `The model '${clip(model)}' does not exist or you do not have access to it.${hint}`,
    { param: 'model' },
  )
}

const NAME_SHOWN_MAX = 200
const clip = (name: string): string => (name.length > NAME_SHOWN_MAX ? `${name.slice(0, NAME_SHOWN_MAX)}…` : name)
