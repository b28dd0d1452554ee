import type { Money } from './money.ts'

export type AccountKind = 'prepaid' | 'unmetered'

/** Who pays, as stored. Amounts live in the ledger's live account, not here. */
export interface Account {
  readonly id: string
  readonly name: string
  readonly kind: AccountKind
  readonly disabled: boolean
}

/** The secret a client shows, as stored: its hash only. */
export interface Key {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** The first characters, to tell keys apart: never enough to use one. */
  readonly prefix: string
  /** Models the key may use; null means all. */
  readonly models: readonly string[] | null
  readonly revoked: boolean
}

/** Result of authentication: whose request it is. */
export interface Principal {
  readonly key: Key
}

/** What this request may do now. */
export interface AccountContext {
  readonly account: Account
  readonly key: Key
}

/** What an account has, in one moment: available = balance − open holds. */
export interface Funds {
  readonly balance: Money
  readonly held: Money
  readonly available: Money
}
