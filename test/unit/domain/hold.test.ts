import { expect, test } from 'bun:test'
import { type CoveredOffer, chargeFor, estimateOf, money, NO_USAGE, withAsked } from '../../../src/domain/index.ts'

const COVERED: CoveredOffer = {
  offer: 'north/m',
  backend: 'north',
  price: { input: 1_000_000, output: 2_000_000, perRequest: 3 },
  cost: null,
  promptUnits: 5,
}
const USAGE = { ...NO_USAGE, input: 10, output: 20 }

test('usage is charged at the price; of an own credential nothing, or a share of the price, rounded up', () => {
  expect(chargeFor(USAGE, COVERED)).toBe(money(10 + 40 + 3))
  const own = { ...COVERED, credential: 'cred_1' }
  expect(chargeFor(USAGE, own)).toBe(money(0))
  expect(chargeFor(USAGE, { ...own, feeBps: 500 })).toBe(money(3)) // 2.65
  expect(chargeFor(USAGE, { ...own, feeBps: 10_000 })).toBe(money(53))
  expect(chargeFor(NO_USAGE, { ...own, price: { input: 1, output: 1 }, feeBps: 500 })).toBe(money(0))
})

test('an estimate is the prompt as it was reckoned, what the request fixes, and what was delivered', () => {
  expect(estimateOf(COVERED, 7)).toEqual({ ...NO_USAGE, input: 5, output: 7 })
  expect(estimateOf({ ...COVERED, asked: { images: 2 } }, 0)).toEqual({ ...NO_USAGE, input: 5, images: 2 })
})

test('what the request fixes is owed where the report leaves it out, but for tokens', () => {
  const usage = { ...NO_USAGE, output: 3 }
  expect(withAsked(COVERED, usage)).toEqual(usage)
  const asked = { images: 2, outputImage: 900, characters: 5, searches: 1, audioMs: 70 }
  expect(withAsked({ asked }, usage)).toEqual({ ...usage, images: 2, characters: 5, searches: 1, audioMs: 70 })
  expect(withAsked({ asked }, { ...usage, images: 1 })).toMatchObject({ images: 1 })
})
