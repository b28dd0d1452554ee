import type { ObservedOffer } from './offer-window.ts'

/** What was observed of all offers, at one moment: it never changes, so that a plan made of it can be made again. */
export interface ObservedSnapshot {
  /** Grows with each snapshot that differs from the one before. */
  readonly version: number
  /** Null: nothing is known of it. */
  of(offer: string): ObservedOffer | null
}
