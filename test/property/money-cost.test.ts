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
} from '../../src/domain/index.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)

const perMillion = fc.nat(1_000_000_000_000)
const price: fc.Arbitrary<Price> = fc.record(
  {
    input: perMillion,
    output: perMillion,
    cachedInput: perMillion,
    cacheWrite: perMillion,
    reasoning: perMillion,
    perRequest: fc.nat(1_000_000_000),
  },
  { requiredKeys: ['input', 'output'] },
)
const units = fc.oneof(fc.nat(10), fc.nat(1_000))
const usage = fc.record({ input: units, cachedInput: units, cacheWrite: units, output: units, reasoning: units })

test('a cost is the exact sum of units × price, rounded up once', () => {
  fc.assert(
    fc.property(usage, price, (used, prices) => {
      const millionths =
        BigInt(used.input) * BigInt(prices.input) +
        BigInt(used.cachedInput) * BigInt(prices.cachedInput ?? prices.input) +
        BigInt(used.cacheWrite) * BigInt(prices.cacheWrite ?? prices.input) +
        BigInt(used.output) * BigInt(prices.output) +
        BigInt(used.reasoning) * BigInt(prices.reasoning ?? prices.output) +
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
      const dearest = { input: dearestInput(prices), output: dearestOutput(prices), perRequest: prices.perRequest ?? 0 }
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
