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
  const rows = candidates.map((candidate, position) =>
    applying.map((ranking) => ranking.key(candidate, position, world, wish)),
  )
  if (book !== undefined)
    for (const [at, candidate] of candidates.entries())
      book.write(
        candidate,
        applying.map(({ name }, rank) => ({ rule: name, key: rows[at]?.[rank] ?? 0 })),
      )
  return sortedBy(candidates, rows)
}

/** What these keys say of each, in their order; ties keep the order they came in. Nothing is made where all stand as they should: a session's backend is often the first. */
export function sortedBy<Item>(items: readonly Item[], rows: readonly (readonly number[])[]): readonly Item[] {
  const compare = (one: number, other: number): number => compareKeys(rows[one] ?? [], rows[other] ?? [])
  let at = 1
  while (at < items.length && compare(at - 1, at) <= 0) at++
  if (at >= items.length) return items
  return items
    .map((item, place) => ({ item, place }))
    .sort((one, other) => compare(one.place, other.place))
    .map(({ item }) => item)
}

/** Whether any ranking but the catalogue's applies: most requests stay as the offers stand. */
function orders(world: World, wish: Wish): boolean {
  for (const ranking of rankings)
    if (ranking !== catalogueOrder && (ranking.applies === undefined || ranking.applies(wish, world))) return true
  return false
}

/** From left to right: the first that differs decides. */
function compareKeys(one: readonly number[], other: readonly number[]): number {
  for (const [at, key] of one.entries()) {
    const difference = key - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
