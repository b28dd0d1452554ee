import { describe, expect, test } from 'bun:test'
import {
  costOf,
  dearestInput,
  dearestMedia,
  dearestOutput,
  isFree,
  money,
  NO_USAGE,
  type Price,
  parsePricePerMillion,
  priceAt,
  rateOf,
} from '../../../src/domain/index.ts'

describe('a price per million', () => {
  test('is read exactly', () => {
    expect(parsePricePerMillion('0.15')).toBe(150_000_000)
    expect(parsePricePerMillion('60')).toBe(60_000_000_000)
    expect(parsePricePerMillion('0')).toBe(0)
    expect(parsePricePerMillion('0.000000001')).toBe(1)
    expect(parsePricePerMillion('9007199.254740991')).toBe(Number.MAX_SAFE_INTEGER)
    // what a float would make of it: 0.1 + 0.2
    expect(parsePricePerMillion('0.3')).toBe(300_000_000)
  })

  for (const text of [
    '',
    '-1',
    '1.',
    '.5',
    '1e-6',
    '9007199.254740992',
    '0.0000000001',
    'free',
    ' 1',
    '9999999.999999999',
  ])
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
    const price: Price = { input: 1_000_000, output: 1 }
    const used = { ...NO_USAGE, input: 9_007_199_255, output: 1 }
    expect(Math.ceil((used.input * price.input + used.output * price.output) / 1_000_000)).toBe(9_007_199_255)
    expect<number>(costOf(used, price)).toBe(9_007_199_256)
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

describe('kinds that few requests have', () => {
  const M = 1_000_000 // a nano-dollar each

  test('tokens of media are billed at their own prices, else as the plainer kind', () => {
    const price: Price = { input: 2 * M, output: 3 * M, cachedInput: M, inputAudio: 10 * M, outputAudio: 20 * M }
    const used = { ...NO_USAGE, input: 1, inputAudio: 1, cachedInputAudio: 1, inputImage: 1, cachedInputImage: 1 }
    expect(costOf({ ...used, outputAudio: 1, outputImage: 1, cacheWriteLong: 1 }, price)).toBe(
      money(2 + 10 + 10 + 2 + 1 + 20 + 3 + 2),
    )
    expect(rateOf({ input: 1, output: 2, cacheWrite: 3 }, 'cacheWriteLong')).toBe(3)
    expect(rateOf({ input: 1, output: 2, inputImage: 3 }, 'cachedInputImage')).toBe(3)
    expect(rateOf({ input: 1, output: 2 }, 'cachedInputAudio')).toBe(1)
  })

  test('they count towards the tier that a prompt reaches', () => {
    const price: Price = { input: M, output: 0, tiers: [{ promptTokensFrom: 10, input: 2 * M, output: 0 }] }
    expect(costOf({ ...NO_USAGE, input: 5, inputImage: 4 }, price)).toBe(money(9))
    expect(costOf({ ...NO_USAGE, input: 5, inputImage: 5 }, price)).toBe(money(20))
  })

  test('what is billed each, by time and by character', () => {
    const price: Price = {
      input: 0,
      output: 0,
      perImage: 7,
      perSearch: 11,
      perAudioHour: 3_600,
      perMillionCharacters: M,
    }
    expect(costOf({ ...NO_USAGE, images: 2, searches: 3, characters: 5, audioMs: 2_000 }, price)).toBe(
      money(14 + 33 + 5 + 2),
    )
    expect(costOf({ ...NO_USAGE, images: 2 }, price)).toBe(money(14))
    expect(costOf({ ...NO_USAGE, images: 2 }, { input: 0, output: 0 })).toBe(money(0))
  })

  test('all of it is rounded up once', () => {
    const price: Price = { input: 1, output: 0, perAudioHour: 1, perMillionCharacters: 1, inputAudio: 1 }
    expect(costOf({ ...NO_USAGE, input: 1, audioMs: 1, characters: 1, inputAudio: 1 }, price)).toBe(money(1))
    expect(costOf({ ...NO_USAGE, audioMs: 3_600_000, input: 1 }, price)).toBe(money(2))
  })
})

describe('prices of other times', () => {
  const DAY_MS = 86_400_000
  const set = (input: number): Price => ({ input, output: 0 })
  const price: Price = {
    ...set(9),
    times: [
      { fromMs: 0, hours: null, price: set(1) },
      { fromMs: 10 * DAY_MS, hours: null, price: set(2) },
      { fromMs: 0, hours: [3_600_000, 7_200_000], price: set(3) },
    ],
  }

  test.each([
    [0, 1],
    [3_600_000 - 1, 1],
    [3_600_000, 3],
    [7_200_000 - 1, 3],
    [7_200_000, 1],
    [10 * DAY_MS - 1, 1],
    [10 * DAY_MS, 2],
    [11 * DAY_MS + 3_600_000, 3],
  ])('at %p the last one whose time it is holds', (wallMs, input) => {
    expect(priceAt(price, wallMs)).toEqual(set(input))
  })

  test('where none holds, what stands beside them does; a price without any is itself', () => {
    expect(priceAt({ ...set(9), times: [{ fromMs: 5, hours: null, price: set(1) }] }, 4)).toEqual(set(9))
    const plain = set(1)
    expect(priceAt(plain, 0)).toBe(plain)
    expect(isFree({ ...set(0), times: [{ fromMs: 5, hours: null, price: set(1) }] })).toBe(false)
  })
})

test('the dearest prices are those of any kind a token may turn out to be', () => {
  expect(dearestInput({ input: 2, output: 0, cachedInput: 1 }, 9)).toBe(2)
  expect(dearestInput({ input: 2, output: 0, cachedInput: 3 }, 9)).toBe(3)
  expect(dearestInput({ input: 2, output: 0, cacheWrite: 3 }, 9)).toBe(3)
  expect(dearestOutput({ input: 0, output: 2, reasoning: 5 }, 9)).toBe(5)
  expect(dearestOutput({ input: 0, output: 2, outputAudio: 6 }, 9)).toBe(6)
  expect(dearestInput({ input: 2, output: 0, inputAudio: 9, cacheWriteLong: 4 }, 9)).toBe(4)
  expect(dearestMedia({ input: 2, output: 0, inputAudio: 9, cacheWriteLong: 4 }, 9)).toBe(9)
})

test('free is a price under which nothing can ever be charged', () => {
  expect(isFree({ input: 0, output: 0 })).toBe(true)
  for (const some of [
    { input: 1 },
    { output: 1 },
    { cacheWrite: 1 },
    { reasoning: 1 },
    { perRequest: 1 },
    { perImage: 1 },
    { inputAudio: 1 },
  ])
    expect(isFree({ input: 0, output: 0, ...some })).toBe(false)
})
