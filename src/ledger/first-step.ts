import {
  costOf,
  dearestInput,
  dearestMedia,
  dearestOutput,
  type FurtherUnits,
  type Money,
  type MoneySettings,
  money,
  NO_USAGE,
  type Offer,
  type Price,
  perMillion,
  ZERO,
} from '../domain/index.ts'
import { assert } from '../lib/index.ts'

/** What one candidate's first step takes, or why it cannot be taken. */
export type FirstStep =
  | {
      readonly kind: 'affordable'
      readonly amount: Money
      /** To be written into the outgoing limit field, in tokens; null leaves the field as the caller sent it. */
      readonly outputLimit: number | null
    }
  | { readonly kind: 'unaffordable'; readonly needed: Money }

export interface FirstStepInput {
  readonly request: {
    readonly stream: boolean
    readonly choices: number
    /** The caller's own limit in tokens, per choice; null when none is named. */
    readonly outputLimit: number | null
    /** How many of the prompt's tokens are images', audio's and files'. */
    readonly promptMediaUnits?: number
    /** Units that the request itself fixes beside its tokens. */
    readonly asked?: FurtherUnits
  }
  /** Estimated tokens of the prompt, media included. */
  readonly promptUnits: number
  readonly offer: Pick<Offer, 'price' | 'outputTokensMax'>
  /** The share of the price that is charged, in ten thousandths: all of it when absent. */
  readonly feeBps?: number
  readonly settings: Pick<MoneySettings, 'outputReserveTokens' | 'outputCapTokens'>
  /** What a prepaid account has available; null for an unmetered one, which can always pay. */
  readonly available: Money | null
}

const UNITS_PER_PRICE = 1_000_000n
const WHOLE_BPS = 10_000n

/**
 * How much a candidate's first step holds: prompt units × dearest input + choices × output tokens × dearest output + per request and what else
 * the request fixes, rounded up once. A stream can be stopped: its step is bounded by the offer and by `output_cap_tokens`. A plain request cannot, so its only step
 * covers the limit that goes out; one without a limit that the account could not pay in full gets the limit it can pay.
 * An offer without a price (unmetered accounts alone) takes nothing.
 */
export function firstStep(input: FirstStepInput): FirstStep {
  const { request, offer, settings, available } = input
  if (offer.price === null) {
    assert(available === null, 'an offer without a price serves unmetered accounts only')
    return { kind: 'affordable', amount: ZERO, outputLimit: null }
  }
  const max = offer.outputTokensMax ?? Number.POSITIVE_INFINITY
  const { outputCapTokens: cap, outputReserveTokens: reserve } = settings
  if (request.stream) return take(input, Math.min(request.outputLimit ?? reserve, max, cap))
  if (request.outputLimit !== null) return take(input, Math.min(request.outputLimit, max))
  const whole = offer.outputTokensMax ?? cap // an unknown maximum: the cap stands for it
  if (available === null || costOfStep(input, whole) <= available) return take(input, Math.min(whole, cap))
  const rates = ratesOf(input)
  const affordable = tokensFor(rates, available)
  if (affordable < 1) return take(input, 1)
  return { kind: 'affordable', amount: asMoney(stepCost(rates, affordable)), outputLimit: affordable }
}

/** The further steps of a stream; null when its answer costs nothing. Tokens are those of each choice. */
export interface FurtherSteps {
  /** How many tokens of an answer so much holds. */
  tokensHeld(amount: Money): number
  /** What so many more tokens take. */
  amountOf(outputTokens: number): Money
}

/** The prices that a stream's further steps go by: those of its first. */
export function furtherSteps(
  input: Pick<FirstStepInput, 'request' | 'promptUnits' | 'feeBps'> & PricedOffer,
): FurtherSteps | null {
  const rates = ratesOf({ ...input, offer: { price: input.price } })
  if (rates.outputToken === 0n || rates.feeBps === 0n) return null
  const more = { ...rates, prompt: 0n, fixed: 0n }
  return {
    tokensHeld: (amount) => tokensFor(rates, amount),
    amountOf: (outputTokens) => asMoney(stepCost(more, outputTokens)),
  }
}

interface PricedOffer {
  readonly price: Price
}

type RatesInput = Pick<FirstStepInput, 'request' | 'promptUnits' | 'feeBps'> & { readonly offer: Pick<Offer, 'price'> }

/** The prices of one step, in BigInt: what a caller asks for may be any number. */
interface Rates {
  /** Of the prompt, in 10^-6 nano-dollars. */
  readonly prompt: bigint
  /** Of one output token in every choice, in 10^-6 nano-dollars. */
  readonly outputToken: bigint
  /** Whatever the number of tokens, in nano-dollars. */
  readonly fixed: bigint
  /** Null: all of it is charged. */
  readonly feeBps: bigint | null
}

function ratesOf({ request, promptUnits, offer: { price }, feeBps }: RatesInput): Rates {
  assert(price !== null, 'rates of an offer without a price')
  const { asked, choices, promptMediaUnits: media = 0 } = request
  const text = count(promptUnits - media) * BigInt(dearestInput(price, promptUnits))
  return {
    prompt: media === 0 ? text : text + count(media) * BigInt(dearestMedia(price, promptUnits)),
    outputToken: count(choices) * BigInt(dearestOutput(price, promptUnits)),
    fixed: BigInt(asked === undefined ? (price.perRequest ?? 0) : costOf({ ...NO_USAGE, ...asked }, price)),
    feeBps: feeBps === undefined ? null : BigInt(feeBps),
  }
}

function take(input: FirstStepInput, outputTokens: number): FirstStep {
  const { available } = input
  const cost = costOfStep(input, outputTokens)
  if (available !== null && cost > available) return { kind: 'unaffordable', needed: asMoney(cost) }
  return { kind: 'affordable', amount: asMoney(cost), outputLimit: null }
}

const costOfStep = (input: RatesInput, outputTokens: number): number | bigint =>
  plainStepCost(input, outputTokens) ?? stepCost(ratesOf(input), outputTokens)

/** As `stepCost`, in plain numbers, as nearly every step can be reckoned; null where that would not be exact. */
function plainStepCost({ request, promptUnits, offer: { price }, feeBps }: RatesInput, outputTokens: number) {
  const { asked, choices, promptMediaUnits = 0 } = request
  if (price === null || asked !== undefined || promptMediaUnits > 0 || feeBps !== undefined) return null
  const prompt = Math.ceil(Math.max(promptUnits, 0)) * dearestInput(price, promptUnits)
  const output = Math.ceil(Math.max(choices, 0)) * dearestOutput(price, promptUnits)
  const sum = prompt + Math.ceil(Math.max(outputTokens, 0)) * output
  return sum <= Number.MAX_SAFE_INTEGER ? perMillion(sum) + (price.perRequest ?? 0) : null
}

/** In nano-dollars, rounded up once, like every cost. */
function stepCost({ prompt, outputToken, fixed, feeBps }: Rates, outputTokens: number): bigint {
  const whole = (prompt + count(outputTokens) * outputToken + UNITS_PER_PRICE - 1n) / UNITS_PER_PRICE + fixed
  return feeBps === null ? whole : (whole * feeBps + WHOLE_BPS - 1n) / WHOLE_BPS
}

/** The largest number of output tokens whose step `available` pays; below 1 when it pays none. Only for a step that is not affordable in full. */
function tokensFor({ prompt, outputToken, fixed, feeBps }: Rates, available: Money): number {
  if (outputToken === 0n) return 0 // fewer tokens would not make it cheaper
  if (feeBps === 0n) return 0
  const whole = feeBps === null ? BigInt(available) : (BigInt(available) * WHOLE_BPS) / feeBps
  const left = (whole - fixed) * UNITS_PER_PRICE - prompt
  return left < 0n ? 0 : Number(left / outputToken)
}

const count = (units: number): bigint => BigInt(Math.ceil(Math.min(Math.max(units, 0), Number.MAX_SAFE_INTEGER)))

/** Beyond what can be counted no prepaid account can pay, and an unmetered one holds as much as can be. */
const asMoney = (nanoDollars: number | bigint): Money =>
  money(nanoDollars < Number.MAX_SAFE_INTEGER ? Number(nanoDollars) : Number.MAX_SAFE_INTEGER)
