import type { Candidate, Model, Skip } from '../../domain/index.ts'
import { skipOf } from '../skip-of.ts'
import type { Filter, Wish, World } from './rule.ts'
import { rules } from './rules/index.ts'
import { withOwn } from './with-own.ts'

const filters = rules.filter((rule): rule is Filter => rule.kind === 'filter')

/** The candidates of one model that pass every filter, as the offers stand; who is dropped is added to `skips`. */
export function passed(world: World, wish: Wish, model: Model, skips: Skip[]): readonly Candidate[] {
  const { own } = world.context
  const offers = offersOf(model)
  let candidates: readonly Candidate[] = own.length === 0 ? offers : withOwn(offers, own)
  for (const filter of filters)
    if (filter.applies === undefined || filter.applies(wish, world))
      candidates = applyFilter(filter, candidates, world, wish, skips)
  return candidates
}

/** Every offer of a model. */
export const offersOf = ({ offers }: Model): Candidate[] => offers.map((offer) => ({ offer }))

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
