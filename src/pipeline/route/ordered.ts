import type { Candidate } from '../../domain/index.ts'
import type { RankBook } from '../rank-book.ts'
import type { Ranking, Wish, World } from './rule.ts'
import { catalogueOrder } from './rules/catalogue-order.ts'
import { rules } from './rules/index.ts'

const rankings = rules.filter((rule): rule is Ranking => rule.kind === 'ranking')

/** Candidates by one comparison key, from left to right, of the rankings that apply; ties that remain keep the order they came in. */
export function ordered(
  candidates: readonly Candidate[],
  world: World,
  wish: Wish,
  book?: RankBook,
): readonly Candidate[] {
  if (candidates.length < 2 && book === undefined) return candidates
  const applying = rankings.filter((ranking) => ranking.applies === undefined || ranking.applies(wish, world))
  const asTheyCame = applying.every((ranking) => ranking === catalogueOrder)
  if (asTheyCame && book === undefined) return candidates
  const keyed = candidates.map((candidate, position) => ({
    candidate,
    keys: applying.map((ranking) => ranking.key(candidate, position, world, wish)),
  }))
  keyed.sort((one, other) => compareKeys(one.keys, other.keys))
  for (const { candidate, keys } of book === undefined ? [] : keyed)
    book?.write(
      candidate,
      applying.map(({ name }, at) => ({ rule: name, key: keys[at] ?? 0 })),
    )
  return keyed.map(({ candidate }) => candidate)
}

/** From left to right: the first that differs decides. */
export function compareKeys(one: readonly number[], other: readonly number[]): number {
  for (const [at, key] of one.entries()) {
    const difference = key - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
