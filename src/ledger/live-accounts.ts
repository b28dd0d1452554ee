import { type AccountKind, add, type Funds, type Money, money, subtract, ZERO } from '../domain/index.ts'
import { Bug, createSecondChance } from '../lib/index.ts'
import type { AccountRow } from '../store/index.ts'

/** The live accounts by id, bounded: idle ones make room for new ones. */
export interface LiveAccounts {
  readonly size: number
  /** The first install wins: a later row of the same account is dropped. */
  open(row: AccountRow): void
  /** Counts as a use: an account just asked for is not the next to be evicted. */
  has(accountId: string): boolean
  /** Throws `Bug` for an account that is not open. */
  get(accountId: string): LiveAccount
}

/** What an account has now. Only the ledger changes it. */
export interface LiveAccount {
  readonly id: string
  readonly kind: AccountKind
  balance: Money
  /** Sum of the open holds. */
  held: Money
  /** Debits and credits that are being written: a debit is out of reach already, a credit not yet in it. */
  outgoing: Money
  incoming: Money
  openHolds: number
  /** Settlements and entries that are not on disk yet: until then the row on disk is older than this account. */
  unacknowledged: number
  usedLately: boolean
}

export interface LiveAccountsOptions {
  readonly sizeMax: number
  /** In the tick of the eviction: whoever keeps the account's row, or is reading it, must drop it. */
  readonly onEvict: (accountId: string) => void
}

/** Makes the map of live accounts. */
export function createLiveAccounts({ sizeMax, onEvict }: LiveAccountsOptions): LiveAccounts {
  const accounts = createSecondChance<LiveAccount>({ sizeMax, isIdle, onEvict })
  return {
    get size() {
      return accounts.size
    },
    open({ account: { id, kind }, balance }) {
      if (accounts.get(id) !== undefined) return
      const nothing = { held: ZERO, outgoing: ZERO, incoming: ZERO, openHolds: 0, unacknowledged: 0 }
      accounts.add({ id, kind, balance, ...nothing, usedLately: false })
    },
    has: (accountId) => accounts.get(accountId) !== undefined,
    get(accountId) {
      const account = accounts.get(accountId)
      if (account === undefined) throw new Bug(`account ${accountId} is not open`)
      return account
    },
  }
}

/** Balance, what is out of reach (open holds, debits being written), and the difference. */
export function fundsOf({ balance, held, outgoing }: LiveAccount): Funds {
  const setAside = add(held, outgoing)
  return { balance, held: setAside, available: subtract(balance, setAside) }
}

/** What may still be held: of a prepaid account what it has available; an unmetered one may go below zero, as far as amounts can be counted. */
export function holdable(account: LiveAccount): Money {
  if (account.kind === 'prepaid') return fundsOf(account).available
  return subtract(subtract(money(Number.MAX_SAFE_INTEGER), account.held), account.outgoing)
}

const isIdle = ({ openHolds, unacknowledged }: LiveAccount): boolean => openHolds === 0 && unacknowledged === 0
