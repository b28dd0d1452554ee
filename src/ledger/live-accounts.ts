import { type AccountKind, add, type Funds, type Money, subtract, ZERO } from '../domain/index.ts'
import { Bug } from '../lib/index.ts'
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

// Bounds the work of one `open`. Every step either evicts or takes a mark away, so the map outgrows `sizeMax` by a 64th, and by the busy accounts.
const LOOKED_AT_MAX = 64

/**
 * Makes the map of live accounts. Second chance (CLOCK): a hand goes round, takes the mark of use from those it passes and evicts the idle
 * ones without it; so a use costs a flag and not a change of the map. Who is opened during a lap is first met in the next one.
 */
export function createLiveAccounts({ sizeMax, onEvict }: LiveAccountsOptions): LiveAccounts {
  const accounts = new Map<string, LiveAccount>()
  let lap: readonly LiveAccount[] = []
  let hand = 0

  function makeRoom(): void {
    for (let lookedAt = 0; accounts.size >= sizeMax && lookedAt < LOOKED_AT_MAX; lookedAt++) {
      if (hand >= lap.length) {
        lap = [...accounts.values()]
        hand = 0
      }
      const account = lap[hand++]
      if (account === undefined) return
      if (!account.usedLately && isIdle(account)) {
        accounts.delete(account.id)
        onEvict(account.id)
      }
      account.usedLately = false
    }
  }

  return {
    get size() {
      return accounts.size
    },
    open({ account: { id, kind }, balance }) {
      if (accounts.has(id)) return
      makeRoom()
      const nothing = { held: ZERO, outgoing: ZERO, incoming: ZERO, openHolds: 0, unacknowledged: 0 }
      accounts.set(id, { id, kind, balance, ...nothing, usedLately: false })
    },
    has(accountId) {
      const account = accounts.get(accountId)
      if (account !== undefined) account.usedLately = true
      return account !== undefined
    },
    get(accountId) {
      const account = accounts.get(accountId)
      if (account === undefined) throw new Bug(`account ${accountId} is not open`)
      account.usedLately = true
      return account
    },
  }
}

/** Balance, what is out of reach (open holds, debits being written), and the difference. */
export function fundsOf({ balance, held, outgoing }: LiveAccount): Funds {
  const setAside = add(held, outgoing)
  return { balance, held: setAside, available: subtract(balance, setAside) }
}

const isIdle = ({ openHolds, unacknowledged }: LiveAccount): boolean => openHolds === 0 && unacknowledged === 0
