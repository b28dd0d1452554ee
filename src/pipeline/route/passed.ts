import type { Candidate, Model, OperationName, Skip } from '../../domain/index.ts'
import { skipOf } from '../skip-of.ts'
import type { Filter, Wish, World } from './rule.ts'
import { rules } from './rules/index.ts'
import { withOwn } from './with-own.ts'

const filters = rules.filter((rule): rule is Filter => rule.kind === 'filter')
const ofOfferCount = filters.findLastIndex(({ isOfOffer }) => isOfOffer === true) + 1
const ofOffer = filters.filter(({ isOfOffer }) => isOfOffer === true)
const between = filters.slice(0, ofOfferCount).filter(({ isOfOffer }) => isOfOffer !== true)
const others = filters.slice(ofOfferCount)

/** The candidates of one model that pass every filter, as the offers stand; who is dropped is added to `skips`. */
export function passed(world: World, wish: Wish, model: Model, skips: Skip[]): readonly Candidate[] {
  const { own } = world.context
  if (own.length > 0) return filtered(filters, withOwn(candidatesOf(model), own), world, wish, skips)
  if (between.some((filter) => applies(filter, world, wish)))
    return filtered(filters, candidatesOf(model), world, wish, skips)
  const left = leftOf(model, world, wish)
  for (const skip of left.skips) skips.push(skip)
  return filtered(others, left.candidates, world, wish, skips)
}

/** What the filters that look at the offer alone leave of a model, and drop. */
interface Left {
  readonly candidates: readonly Candidate[]
  readonly skips: readonly Skip[]
}

/** By model, which stands for as long as its catalogue, and operation: most requests are spared these filters. */
const leftByModel = new WeakMap<Model, Map<OperationName | undefined, Left>>()

function leftOf(model: Model, world: World, wish: Wish): Left {
  const byOperation = leftByModel.get(model) ?? new Map<OperationName | undefined, Left>()
  leftByModel.set(model, byOperation)
  const known = byOperation.get(wish.operation)
  if (known !== undefined) return known
  const skips: Skip[] = []
  const left = { candidates: filtered(ofOffer, candidatesOf(model), world, wish, skips), skips }
  byOperation.set(wish.operation, left)
  return left
}

function filtered(
  list: readonly Filter[],
  all: readonly Candidate[],
  world: World,
  wish: Wish,
  skips: Skip[],
): readonly Candidate[] {
  let candidates = all
  for (const filter of list)
    if (applies(filter, world, wish)) candidates = applyFilter(filter, candidates, world, wish, skips)
  return candidates
}

const applies = (filter: Filter, world: World, wish: Wish): boolean =>
  filter.applies === undefined || filter.applies(wish, world)

/** Every offer of a model, with no own credential. */
export const candidatesOf = ({ offers }: Model): Candidate[] => offers.map((offer) => ({ offer }))

/** For a request without fallbacks that names no providers in order: its first offer, and no other. */
export function firstIfAlone(
  candidates: readonly Candidate[],
  { pin, request }: Wish,
  skips: Skip[],
): readonly Candidate[] {
  const asked = request?.preferences
  const isAlone = pin !== undefined || (asked !== undefined && !asked.allowFallbacks && asked.order.length === 0)
  const [first] = candidates
  if (!isAlone || first === undefined) return candidates
  const reason = { reason: 'the request allows no fallbacks' }
  for (const candidate of candidates)
    if (candidate.offer !== first.offer) skips.push(skipOf(candidate, 'fallbacks', reason))
  return candidates.filter(({ offer }) => offer === first.offer)
}

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
