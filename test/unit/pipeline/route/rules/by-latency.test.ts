import { expect, test } from 'bun:test'
import { byLatency } from '../../../../../src/pipeline/route/rules/by-latency.ts'
import { offerAt, PLAIN, rankedBy, seenWorld, wishing } from '../wish-kit.ts'

const all = [offerAt({ id: 'unseen' }), offerAt({ id: 'a' }), offerAt({ id: 'b' })]
const world = seenWorld({ a: { firstContentP50Ms: 300 }, b: { firstContentP50Ms: 100 } })

test('the best of what was observed first, the unknown last', () => {
  const wish = wishing({ sort: { by: 'latency', acrossModels: false } })
  expect(rankedBy(byLatency, all, wish, world)).toEqual(['b', 'a', 'unseen'])
  expect(rankedBy(byLatency, all, wish)).toEqual(['unseen', 'a', 'b'])
})

test('applies to nothing else', () => {
  expect(rankedBy(byLatency, all, PLAIN, world)).toBeNull()
  expect(rankedBy(byLatency, all, PLAIN, { ...world, sort: 'latency' })).not.toBeNull()
})
