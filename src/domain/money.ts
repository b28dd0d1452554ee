import { Bug } from '../lib/index.ts'

/** An amount in integer nano-dollars (10^-9 USD). May be negative: a posting, an overdrawn adjustment. */
export type Money = number & { readonly __unit: 'nano-dollars' }

const NANO_PER_USD = 1_000_000_000n
const USD_PATTERN = /^(-?)(\d{1,9})(?:\.(\d{1,9}))?$/

/** Checks that `nanoDollars` is a safe integer and gives it its unit. */
export function money(nanoDollars: number): Money {
  if (!Number.isSafeInteger(nanoDollars)) throw new Bug(`not an amount of money: ${nanoDollars}`) // no closure: on every request's way
  return nanoDollars as Money
}

export const ZERO = money(0)

/** The sum, checked for overflow of safe integers. */
export const add = (one: Money, other: Money): Money => money(one + other)

/** The difference, checked for overflow of safe integers. */
export const subtract = (from: Money, amount: Money): Money => money(from - amount)

/** The amount with the opposite sign (0 stays 0, never -0). */
export const negate = (amount: Money): Money => money(0 - amount)

/** The smaller of two amounts. */
export const smaller = (one: Money, other: Money): Money => (one < other ? one : other)

/** The larger of two amounts. */
export const larger = (one: Money, other: Money): Money => (one > other ? one : other)

/**
 * Reads dollars written in decimal ("5", "5.00", "-0.000000001"), at most 9 decimals, at most 9,000,000 dollars
 * (beyond that nano-dollars leave the safe integers). Null when the text is anything else.
 */
export function parseUsd(text: string): Money | null {
  const match = USD_PATTERN.exec(text)
  if (match === null) return null
  const nano = BigInt(match[2] ?? '0') * NANO_PER_USD + BigInt((match[3] ?? '').padEnd(9, '0'))
  if (nano > BigInt(Number.MAX_SAFE_INTEGER)) return null
  return money(Number(match[1] === '-' ? -nano : nano))
}

/** Dollars in decimal with all digits that count and at least two decimals: "5.00", "0.00000735". */
export function formatUsd(amount: Money | bigint): string {
  const isNegative = amount < 0
  if (typeof amount === 'bigint') {
    const size = isNegative ? -amount : amount
    return usdText(isNegative, size / NANO_PER_USD, size % NANO_PER_USD)
  }
  const size = Math.abs(amount)
  const rest = size % Number(NANO_PER_USD)
  return usdText(isNegative, (size - rest) / Number(NANO_PER_USD), rest)
}

function usdText(isNegative: boolean, dollars: number | bigint, nano: number | bigint): string {
  const fraction = String(nano)
    .padStart(9, '0')
    .replace(/0{1,7}$/, '')
  return `${isNegative ? '-' : ''}${dollars}.${fraction}`
}
