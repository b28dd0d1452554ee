import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  chargeFor,
  costOf,
  dearestInput,
  dearestOutput,
  type Money,
  money,
  NO_USAGE,
  type Price,
} from '../../src/domain/index.ts'
import { firstStep } from '../../src/ledger/index.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)
const SETTINGS = { outputReserveTokens: 4096, outputCapTokens: 16_384 }

const perMillion = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 100_000_000_000 }))
const rates = fc.record(
  { input: perMillion, output: perMillion, cachedInput: perMillion, cacheWrite: perMillion, reasoning: perMillion },
  { requiredKeys: ['input', 'output'] },
)
const tiers = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 150_000 }), rates), { maxLength: 3, selector: ([from]) => from })
  .map((all) =>
    all.sort(([one], [other]) => one - other).map(([promptTokensFrom, own]) => ({ promptTokensFrom, ...own })),
  )
const perOne = fc.nat(50_000_000)
const EACH = { perImage: perOne, perSearch: perOne, perAudioHour: perOne, perMillionCharacters: perMillion }
const price: fc.Arbitrary<Price> = fc
  .tuple(rates, fc.record({ perRequest: fc.nat(10_000_000), ...EACH, tiers }, { requiredKeys: [] }))
  .map(([base, more]) => ({ ...base, ...more }))
const tokens = fc.oneof(fc.nat(40), fc.nat(200_000))
const asked = fc.record({ images: fc.nat(4), searches: fc.nat(3), characters: fc.nat(5000), audioMs: fc.nat(90_000) })
const request = fc
  .tuple(
    fc.record({ stream: fc.boolean(), choices: fc.integer({ min: 1, max: 5 }), outputLimit: fc.option(tokens) }),
    fc.option(asked),
  )
  .map(([plain, units]) => (units === null ? plain : { ...plain, asked: units }))
const input = fc
  .tuple(
    fc.record({
      request,
      promptUnits: tokens,
      offer: fc.record({ price, outputTokensMax: fc.option(fc.integer({ min: 1, max: 200_000 })) }),
      settings: fc.constant(SETTINGS),
      available: fc.option(fc.oneof(fc.nat(1_000_000), fc.nat(50_000_000_000)).map(money)),
    }),
    fc.option(fc.integer({ min: 1, max: 10_000 })),
  )
  .map(([given, feeBps]) => (feeBps === null ? given : { ...given, feeBps }))

type Given = typeof input extends fc.Arbitrary<infer G> ? G & { readonly feeBps?: number } : never

/** The most that an answer of so many tokens a choice can cost, by the arithmetic that will charge it. */
function dearest({ request, promptUnits, offer, feeBps }: Given, outputTokens: number): Money {
  const { price } = offer
  const { perRequest, perImage, perSearch, perAudioHour, perMillionCharacters } = price
  const each = { perRequest, perImage, perSearch, perAudioHour, perMillionCharacters }
  const given = Object.fromEntries(Object.entries(each).filter(([, nano]) => nano !== undefined))
  const most = { input: dearestInput(price, promptUnits), output: dearestOutput(price, promptUnits), ...given }
  const tokens = { ...NO_USAGE, input: promptUnits, output: request.choices * outputTokens }
  // Tokens are rounded up by themselves: a hold may be more than the cost by one nano-dollar.
  const fixed = 'asked' in request ? costOf({ ...NO_USAGE, ...request.asked }, most) : (perRequest ?? 0)
  const whole = money(costOf(tokens, { input: most.input, output: most.output }) + fixed)
  if (feeBps === undefined) return whole
  return chargeFor({ ...NO_USAGE, images: 1 }, { ...OWN, feeBps, price: { input: 0, output: 0, perImage: whole } })
}

const OWN = { offer: 'b/m', backend: 'b', cost: null, promptUnits: 0, credential: 'cred' }

test('a hold is what the longest answer it covers can cost, and never more than is available', () => {
  fc.assert(
    fc.property(input, (given) => {
      const step = firstStep(given)
      const { request, offer, available } = given
      const max = offer.outputTokensMax ?? Number.POSITIVE_INFINITY
      const named = Math.min(request.outputLimit ?? Number.POSITIVE_INFINITY, max)
      const unnamed = Math.min(request.stream ? SETTINGS.outputReserveTokens : SETTINGS.outputCapTokens, max)
      const usual = Math.min(
        request.outputLimit === null ? unnamed : named,
        request.stream ? SETTINGS.outputCapTokens : Number.POSITIVE_INFINITY,
      )
      if (step.kind === 'unaffordable') {
        expect(available).not.toBeNull()
        expect(step.needed).toBeGreaterThan(available ?? 0)
        const mayShrink = !request.stream && request.outputLimit === null
        expect(step.needed).toBe(dearest(given, mayShrink ? 1 : usual))
        return
      }
      expect(step.amount).toBe(dearest(given, step.outputLimit ?? usual))
      if (available !== null) expect(step.amount).toBeLessThanOrEqual(available)
    }),
    { numRuns: RUNS },
  )
})

test('a limit is written into a plain request alone that names none, exactly when its account cannot pay the whole maximum, and is the largest it can pay', () => {
  fc.assert(
    fc.property(input, (given) => {
      const { request, offer, available } = given
      const step = firstStep(given)
      const whole = offer.outputTokensMax ?? SETTINGS.outputCapTokens
      const canPayWhole = available === null || dearest(given, whole) <= available
      const isOpenEnded = !request.stream && request.outputLimit === null
      if (step.kind === 'unaffordable') return
      expect(step.outputLimit !== null).toBe(isOpenEnded && !canPayWhole)
      if (step.outputLimit === null || available === null) return
      expect(step.outputLimit).toBeGreaterThanOrEqual(1)
      expect(step.outputLimit).toBeLessThan(whole)
      expect(dearest(given, step.outputLimit)).toBeLessThanOrEqual(available)
      expect(dearest(given, step.outputLimit + 1)).toBeGreaterThan(available)
    }),
    { numRuns: RUNS },
  )
})
