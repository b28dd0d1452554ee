import type {
  Account,
  AccountTermsChange,
  BudgetDays,
  BudgetName,
  Key,
  KeyTermsChange,
  Money,
} from '../domain/index.ts'
import type { ChangeNote } from './change-note.ts'

/** The writes about keys and accounts that are no creation: a part of `Writer`, and as sound as the rest of it. */
export interface KeyWrites {
  /** Rejects with `not_found`, `invalid_request`, and with `precondition_failed` when the version is another. */
  updateKey(wish: KeyUpdate, note?: ChangeNote): Promise<{ readonly key: Key; readonly hash: string }>
  /** Rejects as `updateKey`, and with `conflict` when another account has the name. */
  updateAccount(wish: AccountUpdate, note?: ChangeNote): Promise<Account>
  /**
   * Part of a key's window has changed: it is written as it is when the next batch goes out. Best effort, no promise: a batch that fails
   * takes it along, and the next change brings it again.
   */
  window(part: WindowPart): void
}

export interface KeyUpdate {
  readonly id: string
  readonly change: KeyChange
  /** Null: whatever its version is. */
  readonly version: number | null
}

/** What is absent stays. */
export interface KeyChange extends KeyTermsChange {
  readonly name?: string
}

export interface AccountUpdate {
  readonly id: string
  readonly change: AccountChange
  /** Null: whatever its version is. */
  readonly version: number | null
}

/** What is absent stays. */
export interface AccountChange extends AccountTermsChange {
  readonly name?: string
  readonly disabled?: boolean
}

/** About a second of a key's window: what was let in then. Live: what is written is what it says when the batch goes out. */
export interface WindowPart {
  readonly keyId: string
  readonly firstAtMs: number
  readonly lastAtMs: number
  readonly requests: number
  readonly tokens: number
}

/** The reads on the main thread: a part of `MainReads`. */
export interface KeyMainReads {
  /** What the key's settlements charged, as far as they are on disk when this is called: in all, and since the beginning of each window. */
  keySpend(keyId: string, since: BudgetDays): Promise<KeySpend>
  /** Parts of the key's window that ended after this time, oldest first. */
  keyWindow(keyId: string, afterMs: number): Promise<readonly WindowPart[]>
}

export type KeySpend = Readonly<Record<BudgetName, Money>>

/** The reads of any size: a part of `Reader`. */
export interface KeyReads {
  key(keyId: string): Promise<Key | null>
  /** Keys as their owners list them, newest first; by offset, as clients of such lists ask. At most 100. */
  listedKeys(wish: ListedKeysWish): Promise<readonly ListedKey[]>
  /** The key with this hash. */
  listedKey(hash: string, since: BudgetDays): Promise<ListedKey | null>
  /** Null: of all accounts together. */
  accountFigures(accountId: string | null, day: number): Promise<AccountFigures>
}

export interface ListedKeysWish {
  /** Null: of all accounts. */
  readonly accountId: string | null
  /** Also those that are refused: switched off, or revoked for ever. */
  readonly withDisabled: boolean
  readonly offset: number
  /** The windows in which what was spent is told. */
  readonly since: BudgetDays
}

/** A key with what its owner is told of it. */
export interface ListedKey {
  readonly key: Key
  readonly hash: string
  readonly createdAtMs: number
  readonly spend: KeySpend
}

/** In nano-dollars, of one moment: what was spent is the first less the second. */
export interface AccountFigures {
  /** All that came in, less what was taken out again and what ended; refunds lower what was spent instead. */
  readonly credited: bigint
  readonly balance: bigint
  /** Of the balance, what is left of grants that end. */
  readonly promo: bigint
  /** Charged for requests that began on that day (UTC). */
  readonly spentOnDay: bigint
}
