import type { Candidate, Model, RoutePlan, Skip } from '../../domain/index.ts'
import { skipOf } from '../skip-of.ts'
import { boundByWish } from './bound-by-wish.ts'
import { type Branch, expand } from './expand.ts'
import { ordered } from './ordered.ts'
import { withOwn } from './with-own.ts'
import type { Filter, Wish, World } from './rule.ts'
import { rules } from './rules/index.ts'
import { leastBad, markTrial } from './trials.ts'
import { clip, unknownModel } from './unknown-model.ts'

const filters = rules.filter((rule): rule is Filter => rule.kind === 'filter')

/**
 * World + wish -> route plan: the offers of the model that pass every filter, in the order of the rankings, then those of each model to fall
 * back on, and every skip with its rule and reason. Pure. Throws 404 `model_not_found` with near names when no model is known.
 */
export function route(captured: World, wish: Wish): RoutePlan {
  const world = boundByWish(captured, wish)
  const skips: Skip[] = []
  const branches = branchesOf(world, wish, skips)
  const [first] = branches
  if (first === undefined) throw unknownModel(world, wish)
  const candidates = branches.length === 1 ? planned(world, wish, first, skips) : joined(world, wish, branches, skips)
  const model = first.model.id
  if (candidates.length === 0) {
    const offers = branches.flatMap((branch) => offersOf(branch.model))
    return planOfLeastBad(model, leastBad(offers, skips, world), skips)
  }
  return {
    model,
    candidates: world.quarantine.size === 0 ? candidates : candidates.map((candidate) => markTrial(candidate, world)),
    skips,
  }
}

/** The models that are asked for, each once. One that is not known is passed over when there are others. */
function branchesOf({ catalogue }: World, { model, request }: Wish, skips: Skip[]): readonly Branch[] {
  const others = request?.preferences?.models ?? NO_MODELS
  if (others.length === 0) return expand(catalogue, model)
  const branches = new Map<string, Branch>()
  for (const name of [model, ...others]) {
    const found = expand(catalogue, name)
    if (found.length === 0)
      skips.push({ offer: clip(name), backend: '', rule: 'known-model', reason: 'the model is not known' })
    for (const branch of found) if (!branches.has(branch.model.id)) branches.set(branch.model.id, branch)
  }
  return [...branches.values()]
}

const NO_MODELS: readonly string[] = []

/** The plans of several models, one after the other; or as one list, where the wish says so. */
function joined(world: World, wish: Wish, branches: readonly Branch[], skips: Skip[]): readonly Candidate[] {
  if (wish.request?.preferences?.sort?.acrossModels !== true)
    return branches.flatMap((branch) => planned(world, wish, branch, skips))
  const passing = branches.flatMap((branch) => passed(world, wishFor(wish, branch), branch.model, skips))
  return firstIfAlone(ordered(passing, world, wish), wish, skips)
}

/** The candidates of one model, in order. */
function planned(world: World, wish: Wish, branch: Branch, skips: Skip[]): readonly Candidate[] {
  const own = wishFor(wish, branch)
  return firstIfAlone(ordered(passed(world, own, branch.model, skips), world, own), own, skips)
}

const wishFor = (wish: Wish, { variant }: Branch): Wish => (variant === null ? wish : { ...wish, variant })

/** The candidates of one model that pass every filter. */
function passed(world: World, wish: Wish, model: Model, skips: Skip[]): readonly Candidate[] {
  const { own } = world.context
  const offers = offersOf(model)
  let candidates: readonly Candidate[] = own.length === 0 ? offers : withOwn(offers, own)
  for (const filter of filters)
    if (filter.applies === undefined || filter.applies(wish, world))
      candidates = applyFilter(filter, candidates, world, wish, skips)
  return candidates
}

const offersOf = ({ offers }: Model): Candidate[] => offers.map((offer) => ({ offer }))

/** For a request without fallbacks that names no providers in order: its first offer, and no other. */
function firstIfAlone(candidates: readonly Candidate[], { pin, request }: Wish, skips: Skip[]): readonly Candidate[] {
  const asked = request?.preferences
  const isAlone = pin !== undefined || (asked !== undefined && !asked.allowFallbacks && asked.order.length === 0)
  const [first] = candidates
  if (!isAlone || first === undefined) return candidates
  const reason = { reason: 'the request allows no fallbacks' }
  for (const candidate of candidates)
    if (candidate.offer !== first.offer) skips.push(skipOf(candidate, 'fallbacks', reason))
  return candidates.filter(({ offer }) => offer === first.offer)
}

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
): readonly Candidate[] {
  let kept: Candidate[] | null = null // most rules drop nothing: then there is no new list
  let at = 0
  for (const candidate of candidates) {
    const reason = rule.skip(candidate, world, wish)
    if (reason === null) kept?.push(candidate)
    else {
      kept ??= candidates.slice(0, at)
      skips.push(skipOf(candidate, rule.name, reason))
    }
    at++
  }
  return kept ?? candidates
}
