import { expect, test } from 'bun:test'
import { byThroughput } from '../../../../../src/pipeline/route/rules/by-throughput.ts'
import { offerAt, PLAIN, rankedBy, seenWorld, wishing } from '../wish-kit.ts'

const all = [offerAt({ id: 'unseen' }), offerAt({ id: 'a' }), offerAt({ id: 'b' })]
const world = seenWorld({ a: { tokensPerSecond: 20 }, b: { tokensPerSecond: 90 } })

test('the best of what was observed first, the unknown last', () => {
  const wish = wishing({ sort: { by: 'throughput', acrossModels: false } })
  expect(rankedBy(byThroughput, all, wish, world)).toEqual(['b', 'a', 'unseen'])
  expect(rankedBy(byThroughput, all, wish)).toEqual(['unseen', 'a', 'b'])
})

test('applies to nothing else', () => {
  expect(rankedBy(byThroughput, all, PLAIN, world)).toBeNull()
  expect(rankedBy(byThroughput, all, PLAIN, { ...world, sort: 'throughput' })).not.toBeNull()
})
