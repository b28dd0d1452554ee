import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  completionTokens,
  costOf,
  dearestInput,
  dearestOutput,
  NO_USAGE,
  type Price,
  parsePricePerMillion,
  promptTokens,
  type Rates,
} from '../../src/domain/index.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)

const perMillion = fc.nat(1_000_000_000_000)
const rates = fc.record(
  { input: perMillion, output: perMillion, cachedInput: perMillion, cacheWrite: perMillion, reasoning: perMillion },
  { requiredKeys: ['input', 'output'] },
)
const tiers = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 3_000 }), rates), { maxLength: 3, selector: ([from]) => from })
  .map((all) =>
    all.sort(([one], [other]) => one - other).map(([promptTokensFrom, own]) => ({ promptTokensFrom, ...own })),
  )
const price: fc.Arbitrary<Price> = fc
  .tuple(rates, fc.record({ perRequest: fc.nat(1_000_000_000), tiers }, { requiredKeys: [] }))
  .map(([base, more]) => ({ ...base, ...more }))
const units = fc.oneof(fc.nat(10), fc.nat(1_000))
const usage = fc.record({ input: units, cachedInput: units, cacheWrite: units, output: units, reasoning: units })

test('a cost is the exact sum of units × price, rounded up once', () => {
  fc.assert(
    fc.property(usage, price, (used, prices) => {
      let rates: Rates = prices
      for (const tier of prices.tiers ?? []) if (promptTokens(used) >= tier.promptTokensFrom) rates = tier
      const millionths =
        BigInt(used.input) * BigInt(rates.input) +
        BigInt(used.cachedInput) * BigInt(rates.cachedInput ?? rates.input) +
        BigInt(used.cacheWrite) * BigInt(rates.cacheWrite ?? rates.input) +
        BigInt(used.output) * BigInt(rates.output) +
        BigInt(used.reasoning) * BigInt(rates.reasoning ?? rates.output) +
        BigInt(prices.perRequest ?? 0) * 1_000_000n
      const cost = BigInt(costOf(used, prices)) * 1_000_000n
      expect(cost >= millionths).toBe(true)
      expect(cost - millionths < 1_000_000n).toBe(true)
    }),
    { numRuns: RUNS },
  )
})

test('no mix of kinds costs more than the same tokens at their dearest prices', () => {
  fc.assert(
    fc.property(usage, price, (used, prices) => {
      const prompt = promptTokens(used)
      const dearest = {
        input: dearestInput(prices, prompt),
        output: dearestOutput(prices, prompt),
        perRequest: prices.perRequest ?? 0,
      }
      const plain = { ...NO_USAGE, input: promptTokens(used), output: completionTokens(used) }
      expect(costOf(used, prices)).toBeLessThanOrEqual(costOf(plain, dearest))
    }),
    { numRuns: RUNS },
  )
})

test('a price per million is read exactly, to the last of 9 decimals', () => {
  fc.assert(
    fc.property(fc.nat(9_000_000), fc.nat(999_999_999), (dollars, nano) => {
      const text = `${dollars}.${String(nano).padStart(9, '0')}`
      expect(parsePricePerMillion(text)).toBe(Number(BigInt(dollars) * 1_000_000_000n + BigInt(nano)))
    }),
    { numRuns: RUNS },
  )
})
