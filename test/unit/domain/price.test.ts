import { describe, expect, test } from 'bun:test'
import {
  costOf,
  dearestInput,
  dearestOutput,
  isFree,
  money,
  NO_USAGE,
  type Price,
  parsePricePerMillion,
} from '../../../src/domain/index.ts'

describe('a price per million', () => {
  test('is read exactly', () => {
    expect(parsePricePerMillion('0.15')).toBe(150_000_000)
    expect(parsePricePerMillion('60')).toBe(60_000_000_000)
    expect(parsePricePerMillion('0')).toBe(0)
    expect(parsePricePerMillion('0.000000001')).toBe(1)
    // what a float would make of it: 0.1 + 0.2
    expect(parsePricePerMillion('0.3')).toBe(300_000_000)
  })

  for (const text of ['', '-1', '1.', '.5', '1e-6', '0.0000000001', 'free', ' 1', '9999999.999999999'])
    test(`"${text}" is none`, () => {
      expect(parsePricePerMillion(text)).toBeNull()
    })
})

describe('a cost', () => {
  const PRICE: Price = { input: 150_000_000, output: 600_000_000 }

  test('is units × price: the sample request of the demo', () => {
    expect(costOf({ ...NO_USAGE, input: 9, output: 10 }, PRICE)).toBe(money(7_350))
  })

  test('is rounded up once, not once per kind', () => {
    const tiny: Price = { input: 1, output: 1, cachedInput: 1, cacheWrite: 1, reasoning: 1 }
    const used = { input: 1, cachedInput: 1, cacheWrite: 1, output: 1, reasoning: 1 }
    expect(costOf(used, tiny)).toBe(money(1))
    expect(costOf(NO_USAGE, tiny)).toBe(money(0))
  })

  test('bills a kind without a price of its own as the plainer kind', () => {
    const used = {
      input: 1_000_000,
      cachedInput: 1_000_000,
      cacheWrite: 1_000_000,
      output: 1_000_000,
      reasoning: 1_000_000,
    }
    expect(costOf(used, { input: 2, output: 3 })).toBe(money(2 * 3 + 3 * 2))
    const apart: Price = { input: 2, output: 3, cachedInput: 1, cacheWrite: 5, reasoning: 7 }
    expect(costOf(used, apart)).toBe(money(2 + 1 + 5 + 3 + 7))
    expect(costOf(used, { ...apart, cachedInput: 0, cacheWrite: 0, reasoning: 0 })).toBe(money(5))
  })

  test('has the price per request in it, whole', () => {
    expect(costOf(NO_USAGE, { input: 0, output: 0, perRequest: 7 })).toBe(money(7))
  })

  test('is exact where floats are not', () => {
    const used = { ...NO_USAGE, input: 3_333_333, output: 1_000_001 }
    const price: Price = { input: 1_234_567_891, output: 999_999_999 }
    const exact = (3_333_333n * 1_234_567_891n + 1_000_001n * 999_999_999n + 999_999n) / 1_000_000n
    expect<number>(costOf(used, price)).toBe(Number(exact))
  })

  test('of what is no count is a bug, and so is one that no amount can hold', () => {
    for (const input of [-1, 0.5, Number.NaN])
      expect(() => costOf({ ...NO_USAGE, input }, PRICE)).toThrow('not a count')
    const most = { ...NO_USAGE, input: Number.MAX_SAFE_INTEGER }
    expect(() => costOf(most, { input: 2_000_000, output: 0 })).toThrow('not an amount of money')
  })
})

describe('tiers', () => {
  const price: Price = {
    input: 2_000_000,
    output: 8_000_000,
    cachedInput: 1_000_000,
    perRequest: 7,
    tiers: [
      { promptTokensFrom: 10, input: 4_000_000, output: 12_000_000, cachedInput: 3_000_000 },
      { promptTokensFrom: 20, input: 6_000_000, output: 16_000_000 },
    ],
  }
  const cost = (used: Partial<typeof NO_USAGE>): number => costOf({ ...NO_USAGE, ...used }, price)

  test('a prompt that reaches one is billed by it, whole, and its answer too; the price per request stays', () => {
    expect(cost({ input: 9, output: 5 })).toBe(9 * 2 + 5 * 8 + 7)
    expect(cost({ input: 10, output: 5 })).toBe(10 * 4 + 5 * 12 + 7)
    expect(cost({ input: 19, output: 5 })).toBe(19 * 4 + 5 * 12 + 7)
    expect(cost({ input: 20, output: 5 })).toBe(20 * 6 + 5 * 16 + 7)
  })

  test('cached tokens and cache writes count towards it; a kind without a price there is billed as the plainer kind', () => {
    expect(cost({ input: 4, cachedInput: 5 })).toBe(4 * 2 + 5 * 1 + 7)
    expect(cost({ input: 4, cachedInput: 6 })).toBe(4 * 4 + 6 * 3 + 7)
    expect(cost({ input: 4, cachedInput: 15, cacheWrite: 1 })).toBe(20 * 6 + 7)
    expect(cost({ output: 1000, reasoning: 1000 })).toBe(2000 * 8 + 7)
  })

  test('a hold reckons with the dearest of those that the prompt may reach', () => {
    expect([9, 10, 19, 20].map((units) => dearestInput(price, units))).toEqual([2, 4, 4, 6].map((n) => n * 1_000_000))
    expect([9, 10, 19, 20].map((units) => dearestOutput(price, units))).toEqual(
      [8, 12, 12, 16].map((n) => n * 1_000_000),
    )
    const falling: Price = { input: 5, output: 5, tiers: [{ promptTokensFrom: 10, input: 1, output: 1 }] }
    expect(dearestInput(falling, 10)).toBe(5)
  })

  test('free only when every one of them is', () => {
    const nothing = { input: 0, output: 0 }
    expect(isFree({ ...nothing, tiers: [{ promptTokensFrom: 10, ...nothing }] })).toBe(true)
    expect(isFree({ ...nothing, tiers: [{ promptTokensFrom: 10, ...nothing, output: 1 }] })).toBe(false)
  })
})

test('the dearest prices are those of any kind a token may turn out to be', () => {
  expect(dearestInput({ input: 2, output: 0, cachedInput: 1 }, 9)).toBe(2)
  expect(dearestInput({ input: 2, output: 0, cacheWrite: 3 }, 9)).toBe(3)
  expect(dearestOutput({ input: 0, output: 2, reasoning: 5 }, 9)).toBe(5)
})

test('free is a price under which nothing can ever be charged', () => {
  expect(isFree({ input: 0, output: 0 })).toBe(true)
  for (const some of [{ input: 1 }, { output: 1 }, { cacheWrite: 1 }, { reasoning: 1 }, { perRequest: 1 }])
    expect(isFree({ input: 0, output: 0, ...some })).toBe(false)
})
