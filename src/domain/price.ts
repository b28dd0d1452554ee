import { Bug, DAY_MS } from '../lib/index.ts'
import { type Money, money } from './money.ts'
import { FURTHER_KINDS, type FurtherUnits, promptTokens, type Usage } from './usage.ts'

/** Prices of tokens in integer nano-dollars per million. A kind without a price of its own is billed as a plainer kind: see `rateOf`. */
export interface Rates {
  readonly input: number
  readonly output: number
  readonly cachedInput?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
  readonly cacheWriteLong?: number
  readonly inputAudio?: number
  readonly cachedInputAudio?: number
  readonly inputImage?: number
  readonly cachedInputImage?: number
  readonly outputAudio?: number
  readonly outputImage?: number
}

/** What a request costs: its tokens, and what is billed by itself, in nano-dollars each. */
export interface Price extends Rates {
  readonly perRequest?: number
  readonly perImage?: number
  readonly perSearch?: number
  readonly perAudioHour?: number
  readonly perMillionCharacters?: number
  /** Ascending. A cliff: the last one that the prompt reaches prices the whole request, not only what lies above it. */
  readonly tiers?: readonly PriceTier[]
  /** Prices of other times; the last one whose time it is holds. Without them the price always does; beside them it is the dearest of a day. */
  readonly times?: readonly PriceTime[]
}

/** The rates of a request whose prompt has at least this many tokens, cached ones included. */
export interface PriceTier extends Rates {
  readonly promptTokensFrom: number
}

/** A price that holds from a time on, and where it says so at some hours of each day alone. */
export interface PriceTime {
  readonly fromMs: number
  /** Of the UTC day, in ms since its beginning: from the first up to the second. Null: all day. */
  readonly hours: readonly [number, number] | null
  readonly price: Price
}

const MILLION = 1_000_000
const UNITS_PER_PRICE = BigInt(MILLION)
const MS_PER_HOUR = 3_600_000n
const PRICE_PATTERN = /^(\d{1,7})(?:\.(\d{1,9}))?$/

/** Reads a price in dollars per million units ("0.15") as nano-dollars per million. Null when the text is no such number. */
export function parsePricePerMillion(text: string): number | null {
  const match = PRICE_PATTERN.exec(text)
  if (match === null) return null
  const nano = BigInt(match[1] ?? '0') * 1_000_000_000n + BigInt((match[2] ?? '').padEnd(9, '0'))
  return nano <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(nano) : null
}

/** The price that holds at a time: what a hold names. */
export function priceAt(price: Price, wallMs: number): Price {
  if (price.times === undefined) return price
  const msOfDay = wallMs % DAY_MS
  const time = price.times.findLast(
    ({ fromMs, hours }) => fromMs <= wallMs && (hours === null || (hours[0] <= msOfDay && msOfDay < hours[1])),
  )
  if (time !== undefined) return time.price
  const { times: _, ...always } = price
  return always
}

/** Σ units × price, exact, rounded up to a whole nano-dollar once. */
export function costOf(usage: Usage, price: Price): Money {
  const rates = price.tiers === undefined ? price : ratesAt(price, promptTokens(usage))
  const isPlain = !FURTHER_KINDS.some((kind) => usage[kind] !== undefined)
  const plain = isPlain ? plainSum(usage, rates) : Number.POSITIVE_INFINITY
  if (plain <= Number.MAX_SAFE_INTEGER) return money(perMillion(plain) + (price.perRequest ?? 0))
  const sum =
    units(usage.input, rates.input) +
    units(usage.cachedInput, rates.cachedInput ?? rates.input) +
    units(usage.cacheWrite, rates.cacheWrite ?? rates.input) +
    units(usage.output, rates.output) +
    units(usage.reasoning, rates.reasoning ?? rates.output)
  const cost = isPlain
    ? ceilDivide(sum, UNITS_PER_PRICE)
    : ceilDivide(sum * MS_PER_HOUR + furtherCost(usage, rates, price), UNITS_PER_PRICE * MS_PER_HOUR)
  return money(Number(cost + BigInt(price.perRequest ?? 0)))
}

/** In plain numbers, as nearly every request can be reckoned: exact while the sum is a safe integer, for no term is negative. */
const plainSum = (usage: Usage, rates: Rates): number =>
  counted(usage.input) * rates.input +
  counted(usage.cachedInput) * (rates.cachedInput ?? rates.input) +
  counted(usage.cacheWrite) * (rates.cacheWrite ?? rates.input) +
  counted(usage.output) * rates.output +
  counted(usage.reasoning) * (rates.reasoning ?? rates.output)

/** A safe integer divided by a million and rounded up, without the rounding of a division. */
export function perMillion(sum: number): number {
  const rest = sum % MILLION
  return (sum - rest) / MILLION + (rest > 0 ? 1 : 0)
}

/** What kinds cost that few requests have, in nano-dollars over a million and the milliseconds of an hour: a fraction that all of them have whole. */
function furtherCost(usage: FurtherUnits, rates: Rates, price: Price): bigint {
  let tokens = 0n
  for (const kind of TOKEN_KINDS) tokens += units(usage[kind] ?? 0, rateOf(rates, kind))
  const characters = units(usage.characters ?? 0, price.perMillionCharacters ?? 0)
  const each = units(usage.images ?? 0, price.perImage ?? 0) + units(usage.searches ?? 0, price.perSearch ?? 0)
  const time = units(usage.audioMs ?? 0, price.perAudioHour ?? 0)
  return (tokens + characters + each * UNITS_PER_PRICE) * MS_PER_HOUR + time * UNITS_PER_PRICE
}

const TOKEN_KINDS = [
  'cacheWriteLong',
  'inputAudio',
  'cachedInputAudio',
  'inputImage',
  'cachedInputImage',
  'outputAudio',
  'outputImage',
] as const

const PROMPT_KINDS = [
  'input',
  'cachedInput',
  'cacheWrite',
  'cacheWriteLong',
  'inputAudio',
  'cachedInputAudio',
  'inputImage',
  'cachedInputImage',
] as const

/** The price of a kind of token; one without its own is that of the plainer kind. */
export function rateOf(rates: Rates, kind: keyof Rates): number {
  const own = rates[kind]
  if (own !== undefined) return own
  switch (kind) {
    case 'cacheWriteLong':
      return rateOf(rates, 'cacheWrite')
    case 'cachedInputAudio':
      return rates.inputAudio ?? rateOf(rates, 'cachedInput')
    case 'cachedInputImage':
      return rates.inputImage ?? rateOf(rates, 'cachedInput')
    case 'reasoning':
    case 'outputAudio':
    case 'outputImage':
      return rates.output
    default:
      return rates.input
  }
}

/** The rates of a request whose prompt has so many tokens. */
export const ratesAt = (price: Price, promptTokens: number): Rates =>
  price.tiers?.findLast(({ promptTokensFrom }) => promptTokensFrom <= promptTokens) ?? price

/** True when nothing can ever be charged under this price. */
export const isFree = (price: Price): boolean =>
  dearestMedia(price, Number.POSITIVE_INFINITY) === 0 &&
  dearestOutput(price, Number.POSITIVE_INFINITY) === 0 &&
  [price.perRequest, price.perImage, price.perSearch, price.perAudioHour, price.perMillionCharacters].every(
    (each) => (each ?? 0) === 0,
  ) &&
  (price.times ?? []).every((time) => isFree(time.price))

/** The highest price any token of text can have in a prompt that is at most so long: what a hold reckons with. */
export const dearestInput = (price: Price, promptTokensMax: number): number =>
  highest(price, promptTokensMax, dearestText)

const dearestText = ({ input, cacheWrite, cachedInput, cacheWriteLong }: Rates): number =>
  Math.max(input, cacheWrite ?? 0, cachedInput ?? 0, cacheWriteLong ?? 0)

/** The same of any token of a prompt: images and audio may have prices of their own. */
export const dearestMedia = (price: Price, promptTokensMax: number): number =>
  highest(price, promptTokensMax, (rates) => Math.max(...PROMPT_KINDS.map((kind) => rates[kind] ?? 0)))

/** The highest price any token of the answer to such a prompt can have. */
export const dearestOutput = (price: Price, promptTokensMax: number): number =>
  highest(price, promptTokensMax, dearestAnswer)

const dearestAnswer = ({ output, reasoning, outputAudio, outputImage }: Rates): number =>
  Math.max(output, reasoning ?? 0, outputAudio ?? 0, outputImage ?? 0)

function highest(price: Price, promptTokensMax: number, of: (rates: Rates) => number): number {
  let most = of(price)
  if (price.tiers === undefined) return most
  for (const tier of price.tiers) if (tier.promptTokensFrom <= promptTokensMax) most = Math.max(most, of(tier))
  return most
}

const units = (count: number, priceNano: number): bigint => BigInt(counted(count)) * BigInt(priceNano)

/** Throws a `Bug` for what is no count; without a closure, for it is asked several times of each request. */
function counted(count: number): number {
  if (!Number.isSafeInteger(count) || count < 0) throw new Bug(`not a count of units: ${count}`)
  return count
}

const ceilDivide = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by
