import type { Candidate, RoutePlan, Skip } from '../../domain/index.ts'
import type { RankBook } from '../rank-book.ts'
import { boundByWish } from './bound-by-wish.ts'
import { type Expansion, expand } from './expand.ts'
import { ordered } from './ordered.ts'
import { candidatesOf, firstIfAlone, passed } from './passed.ts'
import { planRouter } from './plan-router.ts'
import type { Wish, World } from './rule.ts'
import { isOf, leastBad, markTrial } from './trials.ts'
import { clip, unknownModel } from './unknown-model.ts'
import { withOwn } from './with-own.ts'

/**
 * World + wish -> route plan: the offers of the model that pass every filter, in the order of the rankings, then those of each model to fall
 * back on, and every skip with its rule and reason. Pure. `book` is told why each has its place. Throws 404 `model_not_found` with near names when
 * no model is known.
 */
export function route(captured: World, wish: Wish, book?: RankBook): RoutePlan {
  const world = boundByWish(captured, wish)
  const skips: Skip[] = []
  const expansions = expansionsOf(world, wish, skips)
  const [first] = expansions
  if (first === undefined) throw unknownModel(world, wish)
  const candidates =
    expansions.length === 1 ? planned(world, wish, first, skips, book) : joined(world, wish, expansions, skips, book)
  const name = first.router?.id ?? first.models[0]?.id ?? wish.model
  const router = first.router === null ? undefined : { router: first.router.id }
  if (candidates.length === 0) {
    const all = expansions.flatMap(({ models }) =>
      models.flatMap((one) => withOwn(candidatesOf(one), world.context.own)),
    )
    return { ...planOfLeastBad(name, leastBad(all, skips, world), skips), ...router }
  }
  return {
    model: router === undefined ? name : (candidates[0]?.offer.model ?? name),
    ...router,
    candidates: world.quarantine.size === 0 ? candidates : candidates.map((candidate) => markTrial(candidate, world)),
    skips,
  }
}

/** What is asked for, each model once. A name that is not known is passed over when there are others. */
function expansionsOf({ catalogue }: World, { model, request }: Wish, skips: Skip[]): readonly Expansion[] {
  const others = request?.preferences?.models ?? NO_MODELS
  if (others.length === 0) {
    const found = expand(catalogue, model)
    return found === null ? [] : [found]
  }
  const seen = new Set<string>()
  return [model, ...others].flatMap((name) => {
    const found = expand(catalogue, name)
    if (found === null) skips.push({ offer: clip(name), ...UNKNOWN_MODEL })
    const models = found?.models.filter(({ id }) => !seen.has(id)) ?? []
    for (const { id } of models) seen.add(id)
    return found === null || (models.length === 0 && found.models.length > 0) ? [] : [{ ...found, models }]
  })
}

const NO_MODELS: readonly string[] = []
const UNKNOWN_MODEL = { backend: '', rule: 'known-model', reason: 'the model is not known' }

/** The plans of several names, one after the other; or as one list, where the wish says so. */
function joined(
  world: World,
  wish: Wish,
  expansions: readonly Expansion[],
  skips: Skip[],
  book?: RankBook,
): readonly Candidate[] {
  if (wish.request?.preferences?.sort?.acrossModels === true) {
    const passing = expansions.flatMap((one) =>
      one.router === null ? unordered(world, wish, one, skips) : planned(world, wish, one, skips),
    )
    return firstIfAlone(ordered(passing, world, wish, book), wish, skips)
  }
  return expansions.flatMap((expansion, at) => {
    const list = planned(world, wish, expansion, skips, book)
    book?.precede(list, { rule: 'models', key: at })
    return list
  })
}

/** The candidates of one name, in order. */
function planned(world: World, wish: Wish, expansion: Expansion, skips: Skip[], book?: RankBook): readonly Candidate[] {
  const { router, models, variant } = expansion
  const own = wishFor(wish, variant)
  if (router !== null) return planRouter(world, own, { router, models }, skips, book)
  return firstIfAlone(ordered(unordered(world, wish, expansion, skips), world, own, book), own, skips)
}

/** The candidates of one name, as the offers stand. */
function unordered(world: World, wish: Wish, { models, variant }: Expansion, skips: Skip[]): readonly Candidate[] {
  const [model] = models // a name that is no router's has one
  return model === undefined ? [] : passed(world, wishFor(wish, variant), model, skips)
}

const wishFor = (wish: Wish, variant: Expansion['variant']): Wish => (variant === null ? wish : { ...wish, variant })

const planOfLeastBad = (model: string, candidate: Candidate | null, skips: readonly Skip[]): RoutePlan => ({
  model,
  candidates: candidate === null ? [] : [candidate],
  skips: candidate === null ? skips : skips.filter((skip) => !isOf(skip, candidate)),
})
