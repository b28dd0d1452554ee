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

test('the dearest prices are those of any kind a token may turn out to be', () => {
  expect(dearestInput({ input: 2, output: 0, cachedInput: 1 })).toBe(2)
  expect(dearestInput({ input: 2, output: 0, cacheWrite: 3 })).toBe(3)
  expect(dearestOutput({ input: 0, output: 2, reasoning: 5 })).toBe(5)
})

test('free is a price under which nothing can ever be charged', () => {
  expect(isFree({ input: 0, output: 0 })).toBe(true)
  for (const some of [{ input: 1 }, { output: 1 }, { cacheWrite: 1 }, { reasoning: 1 }, { perRequest: 1 }])
    expect(isFree({ input: 0, output: 0, ...some })).toBe(false)
})
