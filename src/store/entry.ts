import type { Money } from '../domain/index.ts'

/** A movement of money that is no settlement, with its number and the balance after it. */
export interface Entry extends NewEntry {
  readonly seq: number
  readonly balanceAfter: Money
  /** Of an expiry: the number of the grant that ended. */
  readonly lot?: number
  /** Of a grant, in a list: what is left of it now. */
  readonly remaining?: Money
}

export interface NewEntry {
  readonly kind: EntryKind
  readonly accountId: string
  /** What the account gains; negative takes away (adjustment and expiry only). */
  readonly amount: Money
  readonly note: string | null
  /** `local:<uid>` or a management key's id. */
  readonly actor: string
  readonly atMs: number
  /** Of a refund: the request that it gives back. */
  readonly requestId?: string
  /** Of a grant: when what remains of it ends. */
  readonly expiresAtMs?: number
}

export type EntryKind = 'top_up' | 'adjustment' | 'refund' | 'promo_grant' | 'promo_expiry'
