import { expect, test } from 'bun:test'
import type { MaxPrice, Price } from '../../../../../src/domain/index.ts'
import { withinMaxPrice } from '../../../../../src/pipeline/route/rules/within-max-price.ts'
import { ownSecret, worldOf } from '../route-kit.ts'
import { offerAt, PLAIN, reasonOf, wishing } from '../wish-kit.ts'

const NO_BOUND: MaxPrice = { prompt: null, completion: null, request: null, image: null, audio: null }
const most = (maxPrice: Partial<MaxPrice>, promptTextBytes = 400) =>
  wishing({ maxPrice: { ...NO_BOUND, ...maxPrice } }, { promptTextBytes })
const reason = (price: Price | null, wish: ReturnType<typeof wishing>) =>
  reasonOf(withinMaxPrice, offerAt({}, { price }), wish)

test('a price may be as high as the bound, and no higher', () => {
  const price = { input: 5, output: 9, perRequest: 2, perImage: 3, inputAudio: 7 }
  expect(reason(price, most({ prompt: 5, completion: 9, request: 2, image: 3, audio: 9 }))).toBeNull()
  expect(reason(price, most({ prompt: 4 }))).toBe('the price is above max_price.prompt')
  expect(reason(price, most({ completion: 8 }))).toBe('the price is above max_price.completion')
  expect(reason(price, most({ request: 1 }))).toBe('the price is above max_price.request')
  expect(reason(price, most({ image: 2 }))).toBe('the price is above max_price.image')
  expect(reason(price, most({ audio: 8 }))).toBe('the price is above max_price.audio')
})

test('what a price does not name costs nothing of that kind', () => {
  expect(reason({ input: 1, output: 1 }, most({ request: 0, image: 0 }))).toBeNull()
})

test('the answer counts with its dearest kind, a long prompt with its tier', () => {
  expect(reason({ input: 1, output: 1, reasoning: 2 }, most({ completion: 1 }))).not.toBeNull()
  const tiered = { input: 1, output: 1, tiers: [{ promptTokensFrom: 1000, input: 5, output: 5 }] }
  expect(reason(tiered, most({ prompt: 1 }, 3996))).toBeNull()
  expect(reason(tiered, most({ prompt: 1 }, 4000))).not.toBeNull()
})

test('what has no price cannot be known to be within it', () => {
  expect(reason(null, most({ prompt: 1 }))).toBe('the offer has no price, and the request a highest one')
  expect(reasonOf(withinMaxPrice, offerAt({}, { price: null }), PLAIN)).toBeNull()
})

test('of an own credential the fee alone counts', () => {
  const offer = { ...offerAt({}, { price: { input: 1000, output: 1000 } }), own: ownSecret('cred') }
  const wish = most({ prompt: 50 })
  const world = worldOf()
  expect(reasonOf(withinMaxPrice, offer, wish, world)).toBeNull()
  expect(reasonOf(withinMaxPrice, offer, wish, { ...world, ownFeeBps: 500 })).toBeNull()
  expect(reasonOf(withinMaxPrice, offer, wish, { ...world, ownFeeBps: 501 })).toBe(
    'the price is above max_price.prompt',
  )
  const dear = { ...offer, ...offerAt({}, { price: { input: 100_000_000, output: 0 } }) }
  expect(reasonOf(withinMaxPrice, dear, most({ prompt: 4_999_999 }), { ...world, ownFeeBps: 500 })).not.toBeNull()
  const unpriced = { ...offerAt({}, { price: null }), own: ownSecret('cred') }
  expect(reasonOf(withinMaxPrice, unpriced, wish, { ...world, ownFeeBps: 501 })).toBeNull()
})
