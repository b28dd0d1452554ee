import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  completionTokens,
  costOf,
  dearestMedia,
  dearestOutput,
  FURTHER_KINDS,
  NO_USAGE,
  type Price,
  parsePricePerMillion,
  promptTokens,
  type Rates,
  rateOf,
  USAGE_KINDS,
  type Usage,
} from '../../src/domain/index.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)

const perMillion = fc.nat(1_000_000_000_000)
const MEDIA = {
  cacheWriteLong: perMillion,
  inputAudio: perMillion,
  cachedInputAudio: perMillion,
  inputImage: perMillion,
  cachedInputImage: perMillion,
  outputAudio: perMillion,
  outputImage: perMillion,
}
const rates = fc.record(
  {
    input: perMillion,
    output: perMillion,
    cachedInput: perMillion,
    cacheWrite: perMillion,
    reasoning: perMillion,
    ...MEDIA,
  },
  { requiredKeys: ['input', 'output'] },
)
const tiers = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 3_000 }), rates), { maxLength: 3, selector: ([from]) => from })
  .map((all) =>
    all.sort(([one], [other]) => one - other).map(([promptTokensFrom, own]) => ({ promptTokensFrom, ...own })),
  )
const perOne = fc.nat(1_000_000_000)
const EACH = { perImage: perOne, perSearch: perOne, perAudioHour: perOne, perMillionCharacters: perMillion }
const price: fc.Arbitrary<Price> = fc
  .tuple(rates, fc.record({ perRequest: fc.nat(1_000_000_000), ...EACH, tiers }, { requiredKeys: [] }))
  .map(([base, more]) => ({ ...base, ...more }))
const units = fc.oneof(fc.nat(10), fc.nat(1_000))
const OTHERS = FURTHER_KINDS.filter((kind) => ['images', 'searches', 'audioMs', 'characters'].includes(kind))
const tokens = Object.fromEntries(FURTHER_KINDS.filter((kind) => !OTHERS.includes(kind)).map((kind) => [kind, units]))
const others = Object.fromEntries(OTHERS.map((kind) => [kind, units]))
const counts = { input: units, cachedInput: units, cacheWrite: units, output: units, reasoning: units }
const requiredKeys = ['input', 'cachedInput', 'cacheWrite', 'output', 'reasoning'] as const
/** Of tokens alone. */
const tokenUsage: fc.Arbitrary<Usage> = fc.record({ ...counts, ...tokens }, { requiredKeys: [...requiredKeys] })
const usage: fc.Arbitrary<Usage> = fc.record({ ...counts, ...tokens, ...others }, { requiredKeys: [...requiredKeys] })

test('a cost is the exact sum of units × price, rounded up once', () => {
  fc.assert(
    fc.property(usage, price, (used, prices) => {
      let rates: Rates = prices
      for (const tier of prices.tiers ?? []) if (promptTokens(used) >= tier.promptTokensFrom) rates = tier
      const hour = 3_600_000n
      let sum = 0n // in nano-dollars over a million and an hour's milliseconds
      for (const kind of USAGE_KINDS) {
        const count = BigInt(used[kind] ?? 0)
        if (kind === 'images') sum += count * BigInt(prices.perImage ?? 0) * 1_000_000n * hour
        else if (kind === 'searches') sum += count * BigInt(prices.perSearch ?? 0) * 1_000_000n * hour
        else if (kind === 'audioMs') sum += count * BigInt(prices.perAudioHour ?? 0) * 1_000_000n
        else if (kind === 'characters') sum += count * BigInt(prices.perMillionCharacters ?? 0) * hour
        else sum += count * BigInt(rateOf(rates, kind)) * hour
      }
      sum += BigInt(prices.perRequest ?? 0) * 1_000_000n * hour
      const cost = BigInt(costOf(used, prices)) * 1_000_000n * hour
      expect(cost >= sum).toBe(true)
      expect(cost - sum < 1_000_000n * hour).toBe(true)
    }),
    { numRuns: RUNS },
  )
})

test('no mix of kinds costs more than the same tokens at their dearest prices', () => {
  fc.assert(
    fc.property(tokenUsage, price, (used, prices) => {
      const prompt = promptTokens(used)
      const dearest = {
        input: dearestMedia(prices, prompt),
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
