import { assert } from '../lib/index.ts'
import { type Money, money } from './money.ts'
import { promptTokens, type Usage } from './usage.ts'

/**
 * Prices in integer nano-dollars per million units. A kind without a price of its own is billed as the plainer kind: cached input and
 * cache writes as input, reasoning as output.
 */
export interface Rates {
  readonly input: number
  readonly output: number
  readonly cachedInput?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
}

/** What a request costs; `perRequest` in nano-dollars. */
export interface Price extends Rates {
  readonly perRequest?: number
  /** Ascending. A cliff: the last one that the prompt reaches prices the whole request, not only what lies above it. */
  readonly tiers?: readonly PriceTier[]
}

/** The rates of a request whose prompt has at least this many tokens, cached ones included. */
export interface PriceTier extends Rates {
  readonly promptTokensFrom: number
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
  const rates = price.tiers === undefined ? price : ratesAt(price, promptTokens(usage))
  const sum =
    units(usage.input, rates.input) +
    units(usage.cachedInput, rates.cachedInput ?? rates.input) +
    units(usage.cacheWrite, rates.cacheWrite ?? rates.input) +
    units(usage.output, rates.output) +
    units(usage.reasoning, rates.reasoning ?? rates.output)
  const cost = (sum + UNITS_PER_PRICE - 1n) / UNITS_PER_PRICE + BigInt(price.perRequest ?? 0)
  return money(Number(cost))
}

/** The rates of a request whose prompt has so many tokens. */
export const ratesAt = (price: Price, promptTokens: number): Rates =>
  price.tiers?.findLast(({ promptTokensFrom }) => promptTokensFrom <= promptTokens) ?? price

/** True when nothing can ever be charged under this price. */
export const isFree = (price: Price): boolean =>
  dearestInput(price, Number.POSITIVE_INFINITY) === 0 &&
  dearestOutput(price, Number.POSITIVE_INFINITY) === 0 &&
  (price.perRequest ?? 0) === 0

/** The highest price any token of a prompt can have that is at most so long: what a hold reckons with. */
export const dearestInput = (price: Price, promptTokensMax: number): number =>
  highest(price, promptTokensMax, ({ input, cacheWrite, cachedInput }) =>
    Math.max(input, cacheWrite ?? 0, cachedInput ?? 0),
  )

/** The highest price any token of the answer to such a prompt can have. */
export const dearestOutput = (price: Price, promptTokensMax: number): number =>
  highest(price, promptTokensMax, ({ output, reasoning }) => Math.max(output, reasoning ?? 0))

function highest(price: Price, promptTokensMax: number, of: (rates: Rates) => number): number {
  let most = of(price)
  for (const tier of price.tiers ?? []) if (tier.promptTokensFrom <= promptTokensMax) most = Math.max(most, of(tier))
  return most
}

function units(count: number, priceNanoPerMillion: number): bigint {
  assert(Number.isSafeInteger(count) && count >= 0, () => `not a count of units: ${count}`)
  return BigInt(count) * BigInt(priceNanoPerMillion)
}
