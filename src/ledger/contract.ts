import type {
  BudgetName,
  Checkpoint,
  CoveredOffer,
  Funds,
  Hold,
  KeyBudgets,
  Money,
  Settlement,
} from '../domain/index.ts'
import type { AccountRow, Claim, Durable, Entry, NewEntry, PromoLot } from '../store/index.ts'

/** Live money: balances and holds in memory, every change appended to the writer's batch in the same tick. */
export interface Ledger {
  /** Makes the live account. The first install wins: a later row of the same account is dropped. */
  open(row: AccountRow): void
  /** Also keeps the account from being the next to be evicted. */
  isOpen(accountId: string): boolean
  /** Throws `Bug` for an account that is not open. */
  funds(accountId: string): Funds
  /** Whether a key with budgets is open: what it has spent is known. */
  isKeyOpen(keyId: string): boolean
  /** Opens a key with budgets: from then on its holds and charges are counted. Rejects with `ReadDeadline` or the read's error. */
  openKey(keyId: string): Promise<void>
  /**
   * What the tightest budget of an open key leaves for another hold, in this tick; null when none of them is set. Whoever holds no more than that
   * in the same tick keeps them all. With `heldAtMs`, for more of a hold of that time that is open: it counts in the windows in which it began.
   * Throws `Bug` for a key that is not open.
   */
  budgetLeft(keyId: string, budgets: KeyBudgets, heldAtMs?: number): BudgetLeft | null
  /**
   * Sets money aside at once. Null when a prepaid account has less available (or an unmetered one more held than can be counted): then
   * nothing changed. Throws `GatewayError` `storage_unavailable` while the writer does not accept.
   */
  hold(request: NewHold): OpenHold | null
  /**
   * Sets more aside for an open hold, at once: `wanted`, or what the account and the key's budgets leave when that is less. Answers how much was
   * taken; 0 when nothing is left, or when the hold has ended. It is written with the next checkpoint.
   */
  extend(requestId: string, wanted: Money, budgets: KeyBudgets | null): Money
  /** How far a stream has come; written with a batch that goes out anyway. Nothing happens after the end of the hold. */
  checkpoint(requestId: string, checkpoint: Checkpoint): void
  /**
   * Ends a hold, once. What it cost beyond the hold is charged as far as the account and its key's budgets allow. A second end of the same hold
   * changes nothing and answers the first one's figures.
   */
  settle(settlement: Settlement, budgets?: KeyBudgets | null): Settled
  /**
   * Ends a hold that is not on its way to the disk yet with its settlement in its place: resolves once that is on disk, and changes memory then.
   * Rejects when the commit failed: then nothing is on disk and nothing was charged. Null, and nothing happened, when the hold is on its way
   * already, or when the request cost more than it holds.
   */
  settleWithHold(settlement: Settlement): Promise<Settled> | null
  /** Somebody waits for the hold to be on disk: until then it may be kept back for a few milliseconds. */
  hurry(requestId: string): void
  /**
   * A movement of an open account's money that is no settlement (but the end of a lot: `endLots`), with its row of the audit: on disk first, then in memory. A debit counts against what is available while it is being
   * written. Rejects, and then nothing changed, with `GatewayError`: `conflict` when a prepaid account has less available than the debit,
   * `invalid_request` for an amount that makes no sense, and as `Writer.enter`; with `Bug` for an account that is not open.
   */
  enter(entry: NewEntry, claim?: Claim | null): Promise<Entry>
  /**
   * Ends lots of one open account whose time is over, given by their end: what remains of them leaves the balance, but for what holds that were opened
   * before a lot's end may still use. Answers the entries; lots that are held keep what is held, and are to be ended again later. Rejects as
   * `Writer.endLot`.
   */
  endLots(lots: readonly PromoLot[]): Promise<readonly Entry[]>
  /** Ends holds of this process that no live request owns (`leak`): a bug that is counted. Answers how many there were. */
  endLeaks(isAlive: (requestId: string) => boolean): number
  stats(): LedgerStats
}

export interface BudgetLeft {
  readonly name: BudgetName
  readonly left: Money
  /** When its window is over; null for the total. */
  readonly endsAtMs: number | null
}

export interface NewHold {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly amount: Money
  readonly covers: readonly CoveredOffer[]
}

export interface OpenHold {
  readonly hold: Hold
  /** Resolves once the hold (or already its settlement) is on disk; rejects when its commit failed. */
  readonly durable: Durable
}

export interface Settled {
  readonly cost: Money
  readonly charged: Money
  readonly overrun: Money
  readonly balance: Money
  /** Rejects only when the hold's own commit had failed before: then nothing is on disk and nothing was charged. */
  readonly durable: Durable
}

export interface LedgerStats {
  readonly accountsOpen: number
  readonly openHolds: number
  readonly leaks: number
}
