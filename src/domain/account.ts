import type { AccountTerms } from './account-terms.ts'
import type { KeyTerms } from './key-terms.ts'
import type { Money } from './money.ts'
import type { OwnSecret } from './own-credential.ts'

export type AccountKind = 'prepaid' | 'unmetered'

/** Who pays, as stored. Amounts live in the ledger's live account, not here. */
export interface Account extends AccountTerms {
  readonly id: string
  readonly name: string
  readonly kind: AccountKind
  readonly disabled: boolean
  /** Counts the changes of its row; a balance that moves is none. */
  readonly version: number
}

/** The secret a client shows, as stored: its hash only. */
export interface Key extends KeyTerms {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** The first characters, to tell keys apart: never enough to use one. */
  readonly prefix: string
  readonly revoked: boolean
  /** Counts the changes of its row. */
  readonly version: number
}

/** Result of authentication: whose request it is. */
export interface Principal {
  readonly key: Key
}

/** What this request may do now. */
export interface AccountContext {
  readonly account: Account
  readonly key: Key
  /** The account's own credentials that are enabled, in the order of their creation. */
  readonly own: readonly OwnSecret[]
}

/** What an account has, in one moment: available = balance − open holds. */
export interface Funds {
  readonly balance: Money
  readonly held: Money
  readonly available: Money
}
