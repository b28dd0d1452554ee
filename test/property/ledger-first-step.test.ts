import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { costOf, dearestInput, dearestOutput, type Money, money, NO_USAGE, type Price } from '../../src/domain/index.ts'
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
const price: fc.Arbitrary<Price> = fc
  .tuple(rates, fc.record({ perRequest: fc.nat(10_000_000), tiers }, { requiredKeys: [] }))
  .map(([base, more]) => ({ ...base, ...more }))
const tokens = fc.oneof(fc.nat(40), fc.nat(200_000))
const input = fc.record({
  request: fc.record({
    stream: fc.boolean(),
    choices: fc.integer({ min: 1, max: 5 }),
    outputLimit: fc.option(tokens),
  }),
  promptUnits: tokens,
  offer: fc.record({ price, outputTokensMax: fc.option(fc.integer({ min: 1, max: 200_000 })) }),
  settings: fc.constant(SETTINGS),
  available: fc.option(fc.oneof(fc.nat(1_000_000), fc.nat(50_000_000_000)).map(money)),
})

/** The most that an answer of so many tokens a choice can cost, by the arithmetic that will charge it. */
function dearest(
  { request, promptUnits, offer }: { request: { choices: number }; promptUnits: number; offer: { price: Price } },
  outputTokens: number,
): Money {
  const { price } = offer
  const most = {
    input: dearestInput(price, promptUnits),
    output: dearestOutput(price, promptUnits),
    perRequest: price.perRequest ?? 0,
  }
  return costOf({ ...NO_USAGE, input: promptUnits, output: request.choices * outputTokens }, most)
}

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
