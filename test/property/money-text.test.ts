import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatUsd, money, parseUsd } from '../../src/domain/index.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)

test('an amount written as dollars is read back as the same amount', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (nanoDollars) => {
      const text = formatUsd(money(nanoDollars))
      expect<number | null>(parseUsd(text)).toBe(nanoDollars)
      expect(text).toMatch(/^-?\d+\.\d{2,9}$/)
    }),
    { numRuns: RUNS },
  )
})

test('any text is an amount or null, never something else', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^-?\d{0,12}\.?\d{0,12}$/)), (text) => {
      const amount = parseUsd(text)
      if (amount !== null) expect(Number.isSafeInteger(amount)).toBe(true)
    }),
    { numRuns: RUNS },
  )
})
