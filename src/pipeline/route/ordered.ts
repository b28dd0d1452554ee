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
  if (book === undefined && !orders(world, wish)) return candidates
  const applying = rankings.filter(
    (ranking) =>
      (ranking !== catalogueOrder || book !== undefined) && // they come in that order, and keep it where they are equal
      (ranking.applies === undefined || ranking.applies(wish, world)),
  )
  const columns = applying.map((ranking) =>
    candidates.map((candidate, position) => ranking.key(candidate, position, world, wish)),
  )
  for (const [at, candidate] of book === undefined ? [] : candidates.entries())
    book?.write(
      candidate,
      applying.map(({ name }, rank) => ({ rule: name, key: columns[rank]?.[at] ?? 0 })),
    )
  return sorted(candidates, columns)
}

/** Nothing is made where all stand as they should: a session's backend is often the first. */
function sorted(candidates: readonly Candidate[], columns: readonly (readonly number[])[]): readonly Candidate[] {
  /** From left to right: the first key that differs decides. */
  const compare = (one: number, other: number): number => {
    for (const keys of columns) {
      const difference = (keys[one] ?? 0) - (keys[other] ?? 0)
      if (difference !== 0) return difference
    }
    return 0
  }
  let at = 1
  while (at < candidates.length && compare(at - 1, at) <= 0) at++
  if (at >= candidates.length) return candidates
  return candidates
    .map((candidate, place) => ({ candidate, place }))
    .sort((one, other) => compare(one.place, other.place))
    .map(({ candidate }) => candidate)
}

/** Whether any ranking but the catalogue's applies: most requests stay as the offers stand. */
function orders(world: World, wish: Wish): boolean {
  for (const ranking of rankings)
    if (ranking !== catalogueOrder && (ranking.applies === undefined || ranking.applies(wish, world))) return true
  return false
}

/** From left to right: the first that differs decides. */
export function compareKeys(one: readonly number[], other: readonly number[]): number {
  for (const [at, key] of one.entries()) {
    const difference = key - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
