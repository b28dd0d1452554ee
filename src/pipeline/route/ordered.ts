import type { Candidate } from '../../domain/index.ts'
import type { Rank, RankBook } from '../rank-book.ts'
import type { Ranking, Wish, World } from './rule.ts'
import { rules } from './rules/index.ts'

const rankings = rules.filter((rule): rule is Ranking => rule.kind === 'ranking')

/** Candidates by one comparison key, from left to right, of the rankings that apply; ties that remain keep the order they came in, the catalogue's. */
export function ordered(
  candidates: readonly Candidate[],
  world: World,
  wish: Wish,
  book?: RankBook,
): readonly Candidate[] {
  if (book === undefined && (candidates.length < 2 || !isOrdered(world, wish))) return candidates
  const applying = rankings.filter((ranking) => ranking.applies(wish, world))
  const rows = candidates.map((candidate) => applying.map((ranking) => ranking.key(candidate, world, wish)))
  if (book !== undefined)
    for (const [at, candidate] of candidates.entries()) book.write(candidate, ranksOf(applying, rows[at] ?? [], at))
  return sortedBy(candidates, rows)
}

/** Whether any ranking applies: most requests stay as the offers stand. */
function isOrdered(world: World, wish: Wish): boolean {
  for (const ranking of rankings) if (ranking.applies(wish, world)) return true
  return false
}

const ranksOf = (applying: readonly Ranking[], keys: readonly number[], place: number): readonly Rank[] => [
  ...applying.map(({ name }, at) => ({ rule: name, key: keys[at] ?? 0 })),
  { rule: 'catalogue-order', key: place },
]

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

/** From left to right: the first that differs decides. */
function compareKeys(one: readonly number[], other: readonly number[]): number {
  for (const [at, key] of one.entries()) {
    const difference = key - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
