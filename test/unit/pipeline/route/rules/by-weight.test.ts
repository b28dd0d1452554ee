import { expect, test } from 'bun:test'
import { byWeight } from '../../../../../src/pipeline/route/rules/by-weight.ts'
import { offerAt, PLAIN, rankedBy, wishing } from '../wish-kit.ts'

const sort = { by: 'weight', acrossModels: false } as const
const all = [offerAt({ id: 'none' }, { weight: 0 }), offerAt({ id: 'one' }), offerAt({ id: 'three' }, { weight: 3 })]

test('the same seed gives the same order', () => {
  const wish = wishing({ sort }, {}, { seed: 'req_1' })
  expect(rankedBy(byWeight, all, wish)).toEqual(rankedBy(byWeight, all, wish))
})

test('each is first as often as its weight says, and one without any is last', () => {
  const firsts = new Map<string, number>()
  const requests = 4000
  for (let at = 0; at < requests; at++) {
    const [first = '', , last] = rankedBy(byWeight, all, wishing({ sort }, {}, { seed: `req_${at}` })) ?? []
    firsts.set(first, (firsts.get(first) ?? 0) + 1)
    expect(last).toBe('none')
  }
  const share = (firsts.get('three') ?? 0) / requests
  expect(share).toBeGreaterThan(0.72)
  expect(share).toBeLessThan(0.78)
})

test('does not apply to who sorts by something else', () => {
  expect(rankedBy(byWeight, all, PLAIN)).toBeNull()
})
