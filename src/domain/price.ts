import { assert } from '../lib/index.ts'
import { type Money, money } from './money.ts'
import type { Usage } from './usage.ts'

/**
 * Prices in integer nano-dollars per million units; `perRequest` in nano-dollars.
 * A kind without a price of its own is billed as the plainer kind: cached input and cache writes as input, reasoning as output.
 */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cachedInput?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
  readonly perRequest?: number
}

const UNITS_PER_PRICE = 1_000_000n
const PRICE_PATTERN = /^(\d{1,7})(?:\.(\d{1,9}))?$/

/** Reads a price in dollars per million units ("0.15") as nano-dollars per million. Null when the text is no such number. */
export function parsePricePerMillion(text: string): number | null {
  const match = PRICE_PATTERN.exec(text)
  if (match === null) return null
  const nano = BigInt(match[1] ?? '0') * 1_000_000_000n + BigInt((match[2] ?? '').padEnd(9, '0'))
  return nano <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(nano) : null
}

/** Σ units × price, exact, rounded up to a whole nano-dollar once. */
export function costOf(usage: Usage, price: Price): Money {
  const sum =
    units(usage.input, price.input) +
    units(usage.cachedInput, price.cachedInput ?? price.input) +
    units(usage.cacheWrite, price.cacheWrite ?? price.input) +
    units(usage.output, price.output) +
    units(usage.reasoning, price.reasoning ?? price.output)
  const cost = (sum + UNITS_PER_PRICE - 1n) / UNITS_PER_PRICE + BigInt(price.perRequest ?? 0)
  return money(Number(cost))
}

/** True when nothing can ever be charged under this price. */
export const isFree = (price: Price): boolean =>
  dearestInput(price) === 0 && dearestOutput(price) === 0 && (price.perRequest ?? 0) === 0

/** The highest price any prompt token can have: what a hold reckons with. */
export const dearestInput = (price: Price): number =>
  Math.max(price.input, price.cacheWrite ?? 0, price.cachedInput ?? 0)

/** The highest price any token of the answer can have. */
export const dearestOutput = (price: Price): number => Math.max(price.output, price.reasoning ?? 0)

function units(count: number, priceNanoPerMillion: number): bigint {
  assert(Number.isSafeInteger(count) && count >= 0, () => `not a count of units: ${count}`)
  return BigInt(count) * BigInt(priceNanoPerMillion)
}
