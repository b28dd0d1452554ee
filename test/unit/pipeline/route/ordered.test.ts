import { expect, test } from 'bun:test'
import { ordered } from '../../../../src/pipeline/route/ordered.ts'
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

test('an own credential comes before the order of the caller', () => {
  const own = ownSecret('cred_1')
  const world = worldOf({ own: [own] })
  const mixed = [a, b, { ...c, own }]
  expect(idsOf([...ordered(mixed, world, wishing({ order: ['b'] }))])).toEqual(['c', 'b', 'a'])
})
