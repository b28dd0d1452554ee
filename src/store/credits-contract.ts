import type { Money } from '../domain/index.ts'
import type { Entry } from './entry.ts'
import type { Page } from './page.ts'

/** Promo credit that ends at a time: a part of its account's balance. Its number is that of the entry that granted it. */
export interface PromoLot {
  readonly seq: number
  readonly accountId: string
  readonly amount: Money
  readonly remaining: Money
  readonly expiresAtMs: number
}

/** What ends of a lot. */
export interface LotEnd {
  readonly lot: number
  readonly accountId: string
  /** No more than this, and no more than remains. */
  readonly amountMax: Money
  readonly actor: string
  readonly atMs: number
}

/** What a request was charged and what of it was given back. */
export interface Refundable {
  readonly accountId: string
  readonly charged: Money
  readonly refunded: Money
}

/** A part of `Writer`. */
export interface CreditWrites {
  /** Takes what ends of a lot from its account's balance; null, and nothing is written, when nothing remains. */
  endLot(end: LotEnd): Promise<Entry | null>
}

/** A part of `Reader`. */
export interface CreditReads {
  /** Null when no such request was settled. */
  refundable(requestId: string): Promise<Refundable | null>
  /** Lots that end by then and have something left, by their end; the cursor is a lot's number. */
  lotsDue(byMs: number, page: Page): Promise<readonly PromoLot[]>
}
