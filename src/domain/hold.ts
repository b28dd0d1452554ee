import { type Money, money, ZERO } from './money.ts'
import { costOf, type Price } from './price.ts'
import { type FurtherUnits, NO_USAGE, type Usage, type UsageSource } from './usage.ts'

/** The prices of one candidate a hold covers: what its settlement will be reckoned with. */
export interface CoveredOffer {
  readonly offer: string
  readonly backend: string
  readonly price: Price
  /** What the provider bills the operator; null when unknown. */
  readonly cost: Price | null
  /** Estimated prompt tokens, for an ending without reported usage. */
  readonly promptUnits: number
  /** Units that the request itself fixes beside its prompt: pictures asked for, characters to speak. */
  readonly asked?: FurtherUnits
  /** The id of the account's own credential: the provider bills the account itself. */
  readonly credential?: string
  /** With an own credential: the share of `price` that is charged, in ten thousandths. Absent: nothing is. */
  readonly feeBps?: number
}

/** What usage of a covered offer is charged: its price, or for an own credential the fee on it, rounded up once more. */
export function chargeFor(usage: Usage, { price, credential, feeBps = 0 }: CoveredOffer): Money {
  if (credential === undefined) return costOf(usage, price)
  if (feeBps === 0) return ZERO
  return money(Number((BigInt(costOf(usage, price)) * BigInt(feeBps) + BPS - 1n) / BPS))
}

const BPS = 10_000n

/** What a covered offer's usage is taken for when the provider reports none: its prompt as it was reckoned, and so much of an answer. */
export const estimateOf = ({ promptUnits, asked }: CoveredOffer, output: number): Usage => ({
  ...NO_USAGE,
  ...asked,
  input: promptUnits,
  output,
})

/** A reported usage with the units that the request fixes and the report leaves out: their price is owed all the same. */
export function withAsked({ asked }: Pick<CoveredOffer, 'asked'>, usage: Usage): Usage {
  if (asked === undefined) return usage
  const { images, characters, searches, audioMs } = asked
  return {
    ...(images === undefined ? {} : { images }),
    ...(characters === undefined ? {} : { characters }),
    ...(searches === undefined ? {} : { searches }),
    ...(audioMs === undefined ? {} : { audioMs }),
    ...usage,
  }
}

/** Tells what a hold covers apart: one offer may be tried with several credentials. */
export const coverName = ({ offer, credential }: Pick<CoveredOffer, 'offer' | 'credential'>): string =>
  credential === undefined ? offer : `${offer} ${credential}`

/** How far a running stream has come: enough to settle it after a crash. */
export interface Checkpoint {
  /** Which of the covered offers: its `coverName`. */
  readonly offer: string
  /** Estimated tokens delivered to the client so far. */
  readonly deliveredUnits: number
  /** What is held by now; absent: as much as at first. */
  readonly amount?: Money
}

/** Money set aside before sending. A hold is a row, not an entry: available = balance − open holds. */
export interface Hold {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly openedAtMs: number
  readonly amount: Money
  readonly covers: readonly CoveredOffer[]
}

/** Why a request ended as it did, for its settlement. */
export type EndReason =
  | 'completed' // the whole answer was delivered
  | 'client_gone' // the caller left; prompt + delivered, the prompt alone, or nothing with `before_content: free`
  | 'client_stall' // the caller did not read for `client_stall_ms`
  | 'provider_broken' // cut after the commit point
  | 'provider_reported' // no attempt served, but usage was reported with the refusal
  | 'no_answer' // no attempt served
  | 'cancelled_unsent' // the caller left before a request had been written completely
  | 'storage' // the hold could not be written
  | 'credit' // nothing was left for the rest of a stream
  | 'shutdown' // the gateway stopped before the whole answer was delivered
  | 'crash'
  | 'leak'

/** The end of a hold. `voided` has no usage and costs nothing. */
export interface Settlement {
  readonly requestId: string
  readonly end: 'settled' | 'voided'
  readonly reason: EndReason
  readonly usage: Usage
  readonly usageSource: UsageSource | null
  /** Whose prices count; null when voided. */
  readonly covered: CoveredOffer | null
}
