import { expect, test } from 'bun:test'
import { callerOrder } from '../../../../../src/pipeline/route/rules/caller-order.ts'
import { offerAt, PLAIN, rankedBy, wishing } from '../wish-kit.ts'

const all = [
  offerAt({ id: 'a' }),
  offerAt({ id: 'b', provider: 'beta', region: 'eu' }),
  offerAt({ id: 'c', provider: 'beta' }),
]

test('those that are named come first, in the order in which they are', () => {
  expect(rankedBy(callerOrder, all, wishing({ order: ['c', 'nobody', 'beta'] }))).toEqual(['c', 'b', 'a'])
  expect(rankedBy(callerOrder, all, wishing({ order: ['beta/eu', 'c'] }))).toEqual(['b', 'c', 'a'])
})

test('does not apply without an order', () => {
  expect(rankedBy(callerOrder, all, wishing({}))).toBeNull()
  expect(rankedBy(callerOrder, all, PLAIN)).toBeNull()
})
