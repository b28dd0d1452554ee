import type { Candidate, Model, RoutePlan, Skip } from '../../src/domain/index.ts'
import { boundByWish } from '../../src/pipeline/route/bound-by-wish.ts'
import { expand } from '../../src/pipeline/route/expand.ts'
import type { Filter, Ranking, Wish, World } from '../../src/pipeline/route/rule.ts'
import { rules } from '../../src/pipeline/route/rules/index.ts'
import { leastBad, markTrial } from '../../src/pipeline/route/trials.ts'
import { withOwn } from '../../src/pipeline/route/with-own.ts'
import { skipOf } from '../../src/pipeline/skip-of.ts'

/** A candidate and what came of it: the rule that drops it first, or none. */
interface Verdict {
  readonly candidate: Candidate
  readonly rule: number
  readonly skip: Skip | null
}

interface Asked {
  readonly model: Model
  readonly wish: Wish
}

/**
 * What `route` must answer, in the plainest way: one candidate after the other through one rule after the other, then one comparison of all keys.
 * Nothing is shared, prepared, or left out because it seems not to matter. Null when no model is known. Router models are not in it.
 */
export function serialRoute(captured: World, wish: Wish): RoutePlan | null {
  const world = boundByWish(captured, wish)
  const skips: Skip[] = []
  const asked = askedModels(world, wish, skips)
  const [first] = asked
  if (first === undefined) return null
  const isOneList = asked.length > 1 && wish.request?.preferences?.sort?.acrossModels === true
  const lists = asked.map((one) => ({ wish: one.wish, passing: judged(world, one, skips) }))
  const candidates = isOneList
    ? alone(
        inOrder(
          lists.flatMap(({ passing }) => passing),
          world,
          wish,
        ),
        wish,
        skips,
      )
    : inTurn(world, asked, lists, skips)
  const model = first.model.id
  if (candidates.length > 0)
    return { model, candidates: candidates.map((candidate) => markTrial(candidate, world)), skips }
  const all = asked.flatMap((one) =>
    withOwn(
      one.model.offers.map((offer) => ({ offer })),
      world.context.own,
    ),
  )
  const last = leastBad(all, skips, world)
  if (last === null) return { model, candidates: [], skips }
  const others = skips.filter(({ offer, credential }) => offer !== last.offer.id || credential !== last.own?.id)
  return { model, candidates: [last], skips: others }
}

/** One model after the other, each with its own fallbacks. What one drops stands before what the next does. */
function inTurn(world: World, asked: readonly Asked[], lists: readonly { passing: Candidate[] }[], skips: Skip[]) {
  skips.splice(0, skips.length, ...skips.filter(({ rule }) => rule === 'known-model'))
  return asked.flatMap((one, at) => {
    judged(world, one, skips)
    return alone(inOrder(lists[at]?.passing ?? [], world, one.wish), one.wish, skips)
  })
}

function askedModels({ catalogue }: World, wish: Wish, skips: Skip[]): Asked[] {
  const found: Asked[] = []
  const names = [wish.model, ...(wish.request?.preferences?.models ?? [])]
  for (const name of names) {
    const expansion = expand(catalogue, name)
    if (expansion === null && names.length > 1)
      skips.push({ offer: name, backend: '', rule: 'known-model', reason: 'the model is not known' })
    for (const model of expansion?.models ?? []) {
      const variant = expansion?.variant ?? null
      if (!found.some((one) => one.model.id === model.id))
        found.push({ model, wish: variant === null ? wish : { ...wish, variant } })
    }
  }
  return found
}

/** Who passes; who does not is added to the skips, by rule and then by place. */
function judged(world: World, { model, wish }: Asked, skips: Skip[]): Candidate[] {
  const filters = rules.filter((rule): rule is Filter => rule.kind === 'filter')
  const all = withOwn(
    model.offers.map((offer) => ({ offer })),
    world.context.own,
  )
  const verdicts = all.map((candidate): Verdict => {
    for (const [rule, filter] of filters.entries()) {
      const applies = filter.applies?.(wish, world) ?? true
      const why = applies ? filter.skip(candidate, world, wish) : null
      if (why !== null) return { candidate, rule, skip: skipOf(candidate, filter.name, why) }
    }
    return { candidate, rule: filters.length, skip: null }
  })
  for (const [rule] of filters.entries())
    for (const verdict of verdicts) if (verdict.skip !== null && verdict.rule === rule) skips.push(verdict.skip)
  return verdicts.filter(({ skip }) => skip === null).map(({ candidate }) => candidate)
}

/** By every ranking that applies, from left to right; then as they came. */
function inOrder(candidates: readonly Candidate[], world: World, wish: Wish): Candidate[] {
  const rankings = rules.filter((rule): rule is Ranking => rule.kind === 'ranking')
  const applying = rankings.filter((ranking) => ranking.applies(wish, world))
  const placed = candidates.map((candidate, at) => ({
    candidate,
    keys: [...applying.map((ranking) => ranking.key(candidate, world, wish)), at],
  }))
  const before = (one: readonly number[], other: readonly number[]): boolean => {
    const at = one.findIndex((key, index) => key !== other[index])
    return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0)
  }
  const sorted: typeof placed = []
  for (const one of placed) {
    const at = sorted.findIndex((other) => before(one.keys, other.keys))
    sorted.splice(at < 0 ? sorted.length : at, 0, one)
  }
  return sorted.map(({ candidate }) => candidate)
}

/** Without fallbacks: the first offer, and no other. */
function alone(candidates: readonly Candidate[], { pin, request }: Wish, skips: Skip[]): Candidate[] {
  const asked = request?.preferences
  const isAlone = pin !== undefined || (asked?.allowFallbacks === false && asked.order.length === 0)
  return candidates.filter((candidate) => {
    if (!isAlone || candidate.offer === candidates[0]?.offer) return true
    skips.push(skipOf(candidate, 'fallbacks', { reason: 'the request allows no fallbacks' }))
    return false
  })
}
