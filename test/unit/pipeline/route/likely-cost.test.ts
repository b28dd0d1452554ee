import { expect, test } from 'bun:test'
import { likelyCost, likelyPromptTokens } from '../../../../src/pipeline/route/likely-cost.ts'
import { NOW_MS } from './route-kit.ts'
import { offerAt, wishing } from './wish-kit.ts'

const price = { input: 1_000_000, output: 10_000_000 }
const costOf = (fields: object, request: Parameters<typeof wishing>[1] = {}) =>
  likelyCost(offerAt({}, { price, outputTokensMax: null, ...fields }).offer, wishing({}, request).request, NOW_MS)

test('the prompt, and an answer as long as it may be', () => {
  expect(costOf({})).toBe(100 + 10_000)
  expect(costOf({}, { outputLimit: 50 })).toBe(100 + 500)
  expect(costOf({}, { outputLimit: 50, choices: 2 })).toBe(100 + 1000)
  expect(costOf({ outputTokensMax: 20 }, { outputLimit: 50 })).toBe(100 + 200)
})

test('every token begun counts, media as their units, and what a request costs by itself', () => {
  expect(costOf({}, { outputLimit: 0, promptTextBytes: 401 })).toBe(101)
  expect(costOf({}, { outputLimit: 0, promptMediaUnits: 50 })).toBe(150)
  expect(costOf({ price: { ...price, perRequest: 7 } }, { outputLimit: 0 })).toBe(107)
  expect(costOf({ price: { ...price, cachedInput: 0 } }, { outputLimit: 0 })).toBe(100) // nothing is kept
})

test('of a request of which nothing is known, a thousand tokens each way', () => {
  expect(likelyCost(offerAt({}, { price }).offer, undefined, NOW_MS)).toBe(1000 + 10_000)
})

test('of an offer without a price, what it costs; else nothing is known', () => {
  expect(costOf({ price: null, cost: { input: 0, output: 0 } })).toBe(0)
  expect(costOf({ price: null, cost: null })).toBeNull()
})

test('numbers without bounds do no harm', () => {
  const odd = { promptTextBytes: 1e15, outputLimit: Number.MAX_SAFE_INTEGER, choices: Number.MAX_SAFE_INTEGER }
  expect(costOf({ price: { input: Number.MAX_SAFE_INTEGER, output: Number.MAX_SAFE_INTEGER } }, odd)).toBeGreaterThan(0)
  expect(likelyPromptTokens(undefined)).toBe(1000)
})

test('what the provider keeps of the prompt is cheaper, where it has a price of its own', () => {
  const { request } = wishing({}, { outputLimit: 0 })
  const kept = (more: object, cachedTokens: number) =>
    likelyCost(offerAt({}, { price: { ...price, ...more } }).offer, request, NOW_MS, cachedTokens)
  expect(kept({ cachedInput: 100_000 }, 80)).toBe(20 + 8)
  expect(kept({ cachedInput: 100_000 }, 5000)).toBe(10)
  expect(kept({}, 80)).toBe(100)
})
