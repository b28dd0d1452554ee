import { describe, expect, test } from 'bun:test'
import { type Money, money, type Price } from '../../../src/domain/index.ts'
import { type FirstStep, firstStep, furtherSteps } from '../../../src/ledger/index.ts'

const PRICE: Price = { input: 150_000_000, output: 600_000_000 } // $0.15 and $0.60 a million
const SETTINGS = { outputReserveTokens: 4096, outputCapTokens: 16_384 }

interface Given {
  readonly stream?: boolean
  readonly choices?: number
  readonly outputLimit?: number | null
  readonly promptUnits?: number
  readonly price?: Price | null
  readonly outputTokensMax?: number | null
  readonly available?: Money | null
}

function stepOf(given: Given) {
  const { stream = false, choices = 1, outputLimit = null, promptUnits = 9 } = given
  const { price = PRICE, outputTokensMax = null, available = money(5_000_000_000) } = given
  const request = { stream, choices, outputLimit }
  return firstStep({ request, promptUnits, offer: { price, outputTokensMax }, settings: SETTINGS, available })
}

const PROMPT = 1350 // 9 tokens
const taken = (outputTokens: number, outputLimit: number | null = null): FirstStep => ({
  kind: 'affordable',
  amount: money(PROMPT + outputTokens * 600),
  outputLimit,
})

describe('a stream', () => {
  test('without a limit reserves output_reserve_tokens, at most what the offer gives', () => {
    expect(stepOf({ stream: true })).toEqual(taken(4096))
    expect(stepOf({ stream: true, outputTokensMax: 1000 })).toEqual(taken(1000))
  })

  test('with a limit reserves it, within the offer and output_cap_tokens', () => {
    expect(stepOf({ stream: true, outputLimit: 10 })).toEqual(taken(10))
    expect(stepOf({ stream: true, outputLimit: 50_000 })).toEqual(taken(16_384))
    expect(stepOf({ stream: true, outputLimit: 50_000, outputTokensMax: 8192 })).toEqual(taken(8192))
  })

  test('that its account cannot pay is unaffordable: no limit is written into it', () => {
    const needed = money(PROMPT + 4096 * 600)
    expect(stepOf({ stream: true, available: money(needed - 1) })).toEqual({ kind: 'unaffordable', needed })
    expect(stepOf({ stream: true, available: needed })).toEqual(taken(4096))
  })
})

describe('a plain request', () => {
  test('with a limit reserves all of it, at most the maximum of the offer', () => {
    expect(stepOf({ outputLimit: 50_000 })).toEqual(taken(50_000))
    expect(stepOf({ outputLimit: 50_000, outputTokensMax: 8192 })).toEqual(taken(8192))
    const needed = money(PROMPT + 100 * 600)
    expect(stepOf({ outputLimit: 100, available: money(needed - 1) })).toEqual({ kind: 'unaffordable', needed })
  })

  test('without one reserves the maximum of the offer, up to output_cap_tokens, when its account could pay the whole', () => {
    expect(stepOf({ outputTokensMax: 1000 })).toEqual(taken(1000))
    expect(stepOf({ outputTokensMax: 1000, available: money(PROMPT + 1000 * 600) })).toEqual(taken(1000))
    expect(stepOf({ outputTokensMax: 100_000 })).toEqual(taken(16_384))
    expect(stepOf({ outputTokensMax: null })).toEqual(taken(16_384))
  })

  test('without one gets the limit its account can pay, when it cannot pay the whole maximum', () => {
    const available = money(PROMPT + 777 * 600 + 599)
    expect(stepOf({ outputTokensMax: 1000, available })).toEqual(taken(777, 777))
    // could pay the cap, not the maximum: the provider could write more than the account can pay
    const beyondCap = money(PROMPT + 20_000 * 600)
    expect(stepOf({ outputTokensMax: 100_000, available: beyondCap })).toEqual(taken(20_000, 20_000))
  })

  test('without one is unaffordable when not even one token can be paid', () => {
    const needed = money(PROMPT + 600)
    expect(stepOf({ available: money(needed - 1) })).toEqual({ kind: 'unaffordable', needed })
    expect(stepOf({ available: needed })).toEqual(taken(1, 1))
    expect(stepOf({ available: money(-5) })).toEqual({ kind: 'unaffordable', needed })
  })
})

test('a prompt of nothing costs nothing', () => {
  expect(stepOf({ promptUnits: 0, outputLimit: 10 })).toMatchObject({ amount: money(10 * 600) })
})

test('every choice is held, the prompt once', () => {
  expect(stepOf({ choices: 3, outputLimit: 10 })).toEqual(taken(30))
  const available = money(PROMPT + 31 * 600)
  expect(stepOf({ choices: 3, available })).toEqual(taken(30, 10))
})

test('the dearest prices count, and the price per request; rounded up once', () => {
  const price: Price = {
    input: 1,
    output: 1,
    cachedInput: 0,
    cacheWrite: 3_000_000,
    reasoning: 5_000_001,
    perRequest: 7,
  }
  expect(stepOf({ price, promptUnits: 2, outputLimit: 1 })).toEqual({
    kind: 'affordable',
    amount: money(6 + 6 + 7),
    outputLimit: null,
  })
})

test('a free offer takes nothing, from an account with nothing', () => {
  const nothing = { kind: 'affordable', amount: money(0), outputLimit: null } as const
  expect(stepOf({ price: { input: 0, output: 0 }, available: money(0) })).toEqual(nothing)
})

test('an answer that costs nothing by the token is not made cheaper by a limit', () => {
  const price: Price = { input: 0, output: 0, perRequest: 100 }
  expect(stepOf({ price, available: money(99) })).toEqual({ kind: 'unaffordable', needed: money(100) })
})

describe('an unmetered account', () => {
  test('is never refused, and no limit is written', () => {
    expect(stepOf({ available: null, outputTokensMax: 100_000 })).toEqual(taken(16_384))
    expect(stepOf({ available: null, outputLimit: 50_000 })).toEqual(taken(50_000))
  })

  test('is served without a price, for nothing; a prepaid one never gets here', () => {
    const nothing = { kind: 'affordable', amount: money(0), outputLimit: null } as const
    expect(stepOf({ price: null, available: null })).toEqual(nothing)
    expect(() => stepOf({ price: null })).toThrow('unmetered accounts only')
  })
})

test('numbers that no account could pay are an answer, not a fault', () => {
  const most = money(Number.MAX_SAFE_INTEGER)
  expect(stepOf({ outputLimit: 1e300 })).toEqual({ kind: 'unaffordable', needed: most })
  expect(stepOf({ choices: 1e300, outputLimit: 1 })).toEqual({ kind: 'unaffordable', needed: most })
  expect(stepOf({ outputLimit: Number.POSITIVE_INFINITY, available: null })).toMatchObject({ amount: most })
  expect(stepOf({ outputLimit: 1.5 })).toEqual(taken(2))
  expect(stepOf({ outputLimit: -3 })).toEqual(taken(0))
})

describe('kinds that few requests have', () => {
  const M = 1_000_000
  const of = (request: object, price: Price, more: object = {}) =>
    firstStep({
      request: { stream: true, choices: 1, outputLimit: 10, ...request },
      promptUnits: 100,
      offer: { price, outputTokensMax: null },
      settings: SETTINGS,
      available: null,
      ...more,
    })

  test('media are reckoned at the dearest of their prices, text at its own', () => {
    const price = { input: M, output: 0, inputAudio: 7 * M, inputImage: 5 * M }
    expect(of({}, price)).toMatchObject({ amount: 100 })
    expect(of({ promptMediaUnits: 40 }, price)).toMatchObject({ amount: 60 + 40 * 7 })
    expect(of({ promptMediaUnits: 1 }, price)).toMatchObject({ amount: 99 + 7 })
    expect(of({ promptMediaUnits: 100 }, { input: 0, output: 0, inputImage: 10_000 })).toMatchObject({ amount: 1 })
    expect(of({ promptMediaUnits: 1 }, { input: 0, output: 0, inputImage: 1 })).toMatchObject({ amount: 1 })
  })

  test('an answer may be sound or a picture', () => {
    expect(of({}, { input: 0, output: M, outputImage: 9 * M })).toMatchObject({ amount: 90 })
  })

  test('what the request fixes is in it, with what is billed by the request', () => {
    const price = { input: 0, output: 0, perRequest: 3, perImage: 11, perMillionCharacters: M }
    expect(of({ asked: { images: 2, characters: 5 } }, price)).toMatchObject({ amount: 22 + 5 + 3 })
  })

  test('of a fee a share of all that is held, rounded up; nothing of none', () => {
    const price = { input: M, output: M, perRequest: 3 }
    expect(of({}, price, { feeBps: 500 })).toMatchObject({ amount: Math.ceil(113 / 20) })
    expect(of({}, price, { feeBps: 500, available: money(5) })).toEqual({ kind: 'unaffordable', needed: money(6) })
    expect(of({}, price, { feeBps: 0 })).toMatchObject({ amount: 0 })
    const one = { input: 0, output: 0, perRequest: 1 }
    expect(of({}, one, { feeBps: 1 })).toMatchObject({ amount: 1 })
    const overdrawn = of({ stream: false, outputLimit: null }, price, { feeBps: 0, available: money(-5) })
    expect(overdrawn).toEqual({ kind: 'unaffordable', needed: money(0) })
  })
})

describe('the further steps of a stream', () => {
  const request = { stream: true, choices: 2, outputLimit: null }
  const price = { input: 1_000_000, output: 3_000_000, perRequest: 4 }

  test('tell how many tokens of each choice an amount holds, and what more of them take', () => {
    const steps = furtherSteps({ request, promptUnits: 10, price })
    expect(steps?.tokensHeld(money(14 + 6 * 7))).toBe(7)
    expect(steps?.tokensHeld(money(14 + 6 * 7 + 5))).toBe(7)
    expect(steps?.tokensHeld(money(3))).toBe(0)
    expect(steps?.amountOf(5)).toBe(money(30))
  })

  test('of a fee take its share', () => {
    const steps = furtherSteps({ request, promptUnits: 10, price, feeBps: 1000 })
    expect(steps?.amountOf(5)).toBe(money(3))
    expect(steps?.tokensHeld(money(5))).toBe(6)
  })

  test('are none where the answer costs nothing', () => {
    expect(furtherSteps({ request, promptUnits: 10, price: { input: 5, output: 0 } })).toBeNull()
    expect(furtherSteps({ request, promptUnits: 10, price, feeBps: 0 })).toBeNull()
  })
})
