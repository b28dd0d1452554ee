import type { Model, Offer, Router, RouterNeed, SortBy } from '../../domain/index.ts'
import { askedSort, UNKNOWN_LAST } from './chosen-sort.ts'
import { fractionOf } from './fraction-of.ts'
import { likelyCost, likelyPromptTokens } from './likely-cost.ts'
import { mayNameModel, mayUseOffer } from './may-use-model.ts'
import { ordered, sortedBy } from './ordered.ts'
import type { AskedRequest, Filter, Ranking, Wish, World } from './rule.ts'
import { byLatency } from './rules/by-latency.ts'
import { byPrice } from './rules/by-price.ts'
import { byThroughput } from './rules/by-throughput.ts'
import { byUptime } from './rules/by-uptime.ts'
import { byWeight } from './rules/by-weight.ts'
import { capable } from './rules/capable.ts'
import { contextLength } from './rules/context-length.ts'
import { freeOfCharge } from './rules/free-of-charge.ts'
import { homeTier } from './rules/home-tier.ts'
import { serves } from './rules/serves.ts'

/** What a request must have for each need that a router may have a list of models for; the first that it has counts. */
const NEEDS: readonly (readonly [need: RouterNeed, has: (request: AskedRequest) => boolean])[] = [
  ['long_context', (request) => likelyPromptTokens(request) >= 32_000],
  ['images', ({ needs }) => needs?.includes('images') === true],
  ['tools', ({ needs }) => needs?.includes('tools') === true],
  ['cheap', (request) => likelyPromptTokens(request) < 2000],
  ['best', () => true],
]

const RANKINGS: Readonly<Record<SortBy, Ranking>> = {
  price: byPrice,
  latency: byLatency,
  throughput: byThroughput,
  uptime: byUptime,
  weight: byWeight,
}

/** Rules by which a model is of no use for a request, whoever offers it. */
const FITS: readonly Filter[] = [serves, capable, contextLength, freeOfCharge]

/**
 * The models of a router in the order in which this request gets them; those that neither key nor account names are left out while there are
 * others. By need: what fits, where the session stays, the operator's list for the need, what is known to fit, then as the operator lists them; of
 * all models those at home first, then the cheapest, each by the offer that would come first; of free ones another one each time. Where the request
 * sorts by something, by the best offer of each.
 */
export function routerOrder(world: World, wish: Wish, router: Router, models: readonly Model[]): readonly Model[] {
  const named = models.filter(({ id }) => mayNameModel(world, id, router.id))
  const usable = named.length === 0 ? models : named
  const sort = askedSort(wish) ?? wish.sort ?? null
  if (usable.length < 2 || (sort === null && router.by === 'order')) return usable
  const keysOf = sort === null ? needKeys(world, wish, router) : sortKeys(world, wish, router, RANKINGS[sort])
  return sortedBy(usable, usable.map(keysOf))
}

type KeysOf = (model: Model) => readonly number[]

function sortKeys(world: World, wish: Wish, router: Router, ranking: Ranking): KeysOf {
  return (model) => {
    const fitting = fittingOffers(world, wish, router, model)
    const keys = fitting.map((offer) => ranking.key({ offer }, world, wish))
    return [fitting.length > 0 ? 0 : 1, Math.min(UNKNOWN_LAST, ...keys)]
  }
}

function needKeys(world: World, wish: Wish, router: Router): KeysOf {
  const { request, seed } = wish
  const need = request === undefined ? undefined : NEEDS.find(([, has]) => has(request))?.[0]
  const list = (need === undefined ? undefined : router.needs[need]) ?? []
  const isFree = router.freeOnly || wish.variant === 'free'
  return (model) => {
    const fitting = fittingOffers(world, wish, router, model)
    const at = list.indexOf(model.id)
    return [
      fitting.length > 0 ? 0 : 1,
      world.sticky.has(model.id) ? 0 : 1,
      at < 0 ? list.length : at,
      fitting.some((offer) => isKnownToFit(offer, request)) ? 0 : 1,
      ...(router.candidates !== null ? [] : isFree ? [drawn(seed, model)] : costKeys(fitting, world, wish)),
    ]
  }
}

/** What may serve the request, whatever is out at the moment. */
function fittingOffers(world: World, wish: Wish, router: Router, { offers }: Model): readonly Offer[] {
  const rules = FITS.filter((rule) => rule.applies?.(wish, world) !== false)
  return offers.filter(
    (offer) =>
      offer.enabled &&
      offer.backend.enabled &&
      mayUseOffer(world, offer, router.id) &&
      rules.every((rule) => rule.skip({ offer }, world, wish) === null),
  )
}

/** Its operator says that it can do all that is needed: nothing is left to chance. */
const isKnownToFit = ({ capabilities }: Offer, request: AskedRequest | undefined): boolean =>
  request?.needs?.every((need) => capabilities?.includes(need) === true) !== false

/** Without a seed nothing is drawn. */
const drawn = (seed: string | undefined, { id }: Model): number =>
  seed === undefined ? 0 : fractionOf(`${seed} ${id}`)

/** How near its first offer is, and what it costs: a cheaper one that comes behind it helps nobody. */
function costKeys(offers: readonly Offer[], world: World, wish: Wish): readonly number[] {
  const [first] = ordered(
    offers.map((offer) => ({ offer })),
    world,
    wish,
  )
  if (first === undefined) return [0, UNKNOWN_LAST]
  const tier = world.homeRegions.length === 0 ? 0 : homeTier.key(first, world, wish)
  return [tier, likelyCost(first.offer, wish.request, world.nowMs) ?? UNKNOWN_LAST]
}
