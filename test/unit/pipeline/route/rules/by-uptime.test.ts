import { expect, test } from 'bun:test'
import { byUptime } from '../../../../../src/pipeline/route/rules/by-uptime.ts'
import { offerAt, PLAIN, rankedBy, seenWorld, wishing } from '../wish-kit.ts'

const all = [offerAt({ id: 'unseen' }), offerAt({ id: 'a' }), offerAt({ id: 'b' })]
const world = seenWorld({ a: { successRate: 0.5 }, b: { successRate: 0.99 } })

test('the best of what was observed first, the unknown last', () => {
  const wish = wishing({ sort: { by: 'uptime', acrossModels: false } })
  expect(rankedBy(byUptime, all, wish, world)).toEqual(['b', 'a', 'unseen'])
  expect(rankedBy(byUptime, all, wish)).toEqual(['unseen', 'a', 'b'])
})

test('applies to nothing else', () => {
  expect(rankedBy(byUptime, all, PLAIN, world)).toBeNull()
  expect(rankedBy(byUptime, all, PLAIN, { ...world, sort: 'uptime' })).not.toBeNull()
})
