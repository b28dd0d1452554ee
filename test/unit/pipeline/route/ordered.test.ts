import { expect, test } from 'bun:test'
import { RankBook } from '../../../../src/pipeline/rank-book.ts'
import { ordered, sortedBy } from '../../../../src/pipeline/route/ordered.ts'
import { ownSecret, worldOf } from './route-kit.ts'
import { offerAt, PLAIN, seenWorld, wishing } from './wish-kit.ts'

const [a, b, c] = [offerAt({ id: 'a' }), offerAt({ id: 'b' }), offerAt({ id: 'c' })]
const all = [a, b, c]
const idsOf = (candidates: typeof all) => candidates.map(({ offer }) => offer.backend.id)

test('a plain request gets the very list that came in', () => {
  expect(ordered(all, worldOf(), PLAIN)).toBe(all)
})

test('rankings count from left to right; what is equal for all stays as it stands', () => {
  const world = seenWorld({ a: { firstContentP50Ms: 5 }, c: { firstContentP50Ms: 1 } })
  const wish = wishing({ order: ['b'], sort: { by: 'latency', acrossModels: false } })
  expect(idsOf([...ordered(all, world, wish)])).toEqual(['b', 'c', 'a'])
  const unseen = wishing({ sort: { by: 'uptime', acrossModels: false } })
  expect(idsOf([...ordered(all, world, unseen)])).toEqual(['a', 'b', 'c'])
})

test('where all stand as they should the list is the one that came in', () => {
  const world = seenWorld({ a: { firstContentP50Ms: 1 }, b: { firstContentP50Ms: 1 }, c: { firstContentP50Ms: 2 } })
  expect(ordered(all, world, wishing({ sort: { by: 'latency', acrossModels: false } }))).toBe(all)
})

test('ties keep the order they came in', () => {
  const items = Array.from({ length: 50 }, (_, at) => at)
  const rows = items.map((at) => [at === 49 ? 0 : 1])
  expect(sortedBy(items, rows)).toEqual([49, ...items.slice(0, 49)])
})

test('a book tells of each by which rankings it has its place, at last by the catalogue’s order', () => {
  const world = seenWorld({ a: { firstContentP50Ms: 5 }, c: { firstContentP50Ms: 1 } })
  const book = new RankBook()
  const wish = wishing({ order: ['b'], sort: { by: 'latency', acrossModels: false } })
  expect(idsOf([...ordered(all, world, wish, book)])).toEqual(['b', 'c', 'a'])
  expect(book.of(c)).toEqual([
    { rule: 'caller-order', key: 1 },
    { rule: 'by-latency', key: 1 },
    { rule: 'catalogue-order', key: 2 },
  ])
  const plain = new RankBook()
  expect(ordered([a], worldOf(), PLAIN, plain)).toEqual([a])
  expect(plain.of(a)).toEqual([{ rule: 'catalogue-order', key: 0 }])
})

test('an own credential comes before the order of the caller', () => {
  const own = ownSecret('cred_1')
  const world = worldOf({ own: [own] })
  const mixed = [a, b, { ...c, own }]
  expect(idsOf([...ordered(mixed, world, wishing({ order: ['b'] }))])).toEqual(['c', 'b', 'a'])
})
