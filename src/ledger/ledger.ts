import {
  add,
  type Checkpoint,
  type Funds,
  formatUsd,
  GatewayError,
  type Hold,
  type KeyBudgets,
  larger,
  type Money,
  money,
  NO_USAGE,
  type Settlement,
  smaller,
  subtract,
  ZERO,
} from '../domain/index.ts'
import { assert, Bug, type Clock, PassingMap } from '../lib/index.ts'
import type {
  AccountRow,
  Claim,
  Durable,
  Entry,
  MainReads,
  NewEntry,
  PromoLot,
  SettlementRow,
  Writer,
} from '../store/index.ts'
import type { Log } from '../telemetry/index.ts'
import type { BudgetLeft, Ledger, LedgerStats, NewHold, OpenHold, Settled } from './contract.ts'
import { createEndedHolds } from './ended-holds.ts'
import { enterEntry, enterLotEnd } from './enter-entry.ts'
import { createLiveAccounts, fundsOf, holdable, type LiveAccount, type LiveAccounts } from './live-accounts.ts'
import { acknowledge, addHold, budgetLeft, endHold, growHold, type LiveKey } from './live-key.ts'
import { createLiveKeys, type LiveKeys } from './live-keys.ts'
import { lotEnds } from './lot-ends.ts'
import { type SettlementFigures, settlementFigures } from './settlement-figures.ts'

export interface LedgerOptions {
  readonly reads: Pick<MainReads, 'keySpend'>
  readonly writer: Writer
  readonly clock: Clock
  readonly log: Log
  /**
   * Called in the tick in which an idle account leaves memory. Whoever keeps its row, or is reading it, must drop it: `open` with a row
   * from before the eviction would bring back an old balance.
   */
  readonly onEvict: (accountId: string) => void
  /** How many accounts stay in memory; those with an open hold or an unacknowledged posting always do. */
  readonly accountsOpenMax?: number
  /** How many keys with budgets do, likewise. */
  readonly keysOpenMax?: number
}

const ACCOUNTS_OPEN_MAX = 100_000
const KEYS_OPEN_MAX = 100_000
const HOLD_WAIT_MS = 5 // a provider that answers sooner costs one row, not two; any other takes far longer than a commit after that

/** Makes the ledger's memory over a writer. It starts empty: accounts are opened with their rows, recovery has closed the holds of the past. */
export function createLedger(options: LedgerOptions): Ledger {
  return new LiveLedger(options)
}

interface LiveHold extends OpenHold {
  readonly account: LiveAccount
  /** Null while its key is not live: it has no budget. */
  key: LiveKey | null
  /** Its settlement is being written in its place. */
  isEnding: boolean
  /** What is held by now: the hold's amount, and what it was extended by. */
  amount: Money
}

class LiveLedger implements Ledger {
  readonly #writer: Writer
  readonly #clock: Clock
  readonly #log: Log
  readonly #accounts: LiveAccounts
  readonly #holds = new PassingMap<string, LiveHold>()
  readonly #ended = createEndedHolds()
  readonly #keys: LiveKeys
  #lastPosting: Durable | null = null
  #leaks = 0

  constructor(options: LedgerOptions) {
    const { reads, writer, clock, log, onEvict } = options
    const { accountsOpenMax = ACCOUNTS_OPEN_MAX, keysOpenMax = KEYS_OPEN_MAX } = options
    this.#writer = writer
    this.#clock = clock
    this.#log = log
    this.#accounts = createLiveAccounts({ sizeMax: accountsOpenMax, onEvict })
    const adopt = (key: LiveKey): void => this.#adopt(key)
    this.#keys = createLiveKeys({ reads, clock, sizeMax: keysOpenMax, adopt, lastPosting: () => this.#lastPosting })
  }

  open(row: AccountRow): void {
    this.#accounts.open(row)
  }

  isOpen(accountId: string): boolean {
    return this.#accounts.has(accountId)
  }

  funds(accountId: string): Funds {
    return fundsOf(this.#accounts.get(accountId))
  }

  isKeyOpen(keyId: string): boolean {
    return this.#keys.isOpen(keyId)
  }

  openKey(keyId: string): Promise<void> {
    return this.#keys.open(keyId)
  }

  budgetLeft(keyId: string, budgets: KeyBudgets, heldAtMs?: number): BudgetLeft | null {
    return this.#keys.left(keyId, budgets, heldAtMs)
  }

  hold({ requestId, accountId, keyId, amount, covers }: NewHold): OpenHold | null {
    const account = this.#accounts.get(accountId)
    assert(amount >= 0, 'a hold of less than nothing')
    if (this.#holds.has(requestId) || this.#ended.get(requestId) !== undefined)
      throw new Bug(`a second hold of ${requestId}`)
    if (!this.#writer.accepting())
      throw new GatewayError('storage_unavailable', 'The ledger cannot be written. Please try again later.')
    if (holdable(account) < amount) return null
    const hold = { requestId, accountId, keyId, openedAtMs: this.#clock.wallMs(), amount, covers }
    account.held = add(account.held, amount)
    account.openHolds += 1
    const key = this.#keys.find(keyId) ?? null
    if (key !== null) addHold(key, amount, hold.openedAtMs)
    const durable = this.#writer.hold(hold, HOLD_WAIT_MS)
    const live = { hold, account, key, durable, amount, isEnding: false }
    this.#holds.set(requestId, live)
    durable.catch(() => this.#releaseUnwritten(live))
    return { hold, durable }
  }

  extend(requestId: string, wanted: Money, budgets: KeyBudgets | null): Money {
    const live = this.#holds.get(requestId)
    if (live === undefined) return ZERO
    const { hold, account } = live
    const taken = larger(ZERO, this.#withinBudgets(hold, budgets, smaller(wanted, holdable(account))))
    if (taken === 0) return ZERO
    live.amount = add(live.amount, taken)
    account.held = add(account.held, taken)
    if (live.key !== null) growHold(live.key, taken, hold.openedAtMs)
    return taken
  }

  checkpoint(requestId: string, checkpoint: Checkpoint): void {
    const live = this.#holds.get(requestId)
    if (live !== undefined) this.#writer.checkpoint(requestId, { ...checkpoint, amount: live.amount })
  }

  settle(settlement: Settlement, budgets: KeyBudgets | null = null): Settled {
    const { requestId } = settlement
    const before = this.#ended.get(requestId)
    if (before !== undefined) return before
    const live = this.#holds.get(requestId)
    if (live === undefined) throw new Bug(`no hold of ${requestId} to settle`)
    assert(!live.isEnding, 'a hold is ended while its settlement is being written')
    const { account } = live
    const available = this.#payableBeside(live, budgets)
    const figures = settlementFigures(settlement, { held: live.amount, available })
    const row = this.#rowOf(settlement, live, figures)
    const balance = subtract(account.balance, figures.charged)
    const settled = this.#end(live, figures, balance, this.#writer.settle(row))
    this.#watchPosting(live, settled.durable)
    return settled
  }

  settleWithHold(settlement: Settlement): Promise<Settled> | null {
    const live = this.#holds.get(settlement.requestId)
    if (live === undefined || live.isEnding) return null
    const { account, durable } = live
    const figures = settlementFigures(settlement, { held: live.amount, available: ZERO })
    // What it is charged beyond its hold must be taken from the account in this tick.
    if (figures.cost > live.amount) return null
    if (!this.#writer.settleWithHold(this.#rowOf(settlement, live, figures))) return null
    live.isEnding = true
    const ended = durable.then(() => this.#end(live, figures, subtract(account.balance, figures.charged), durable))
    const before = this.#lastPosting // a failed commit gives this one up and keeps those before it: they are waited for still
    this.#watchPosting(
      live,
      ended.then(ignore, () => before ?? undefined),
    )
    return ended
  }

  hurry(requestId: string): void {
    this.#writer.hurry(requestId)
  }

  async enter(entry: NewEntry, claim: Claim | null = null): Promise<Entry> {
    return enterEntry(this.#writer, this.#accounts.get(entry.accountId), entry, claim)
  }

  async endLots(lots: readonly PromoLot[]): Promise<readonly Entry[]> {
    const accountId = lots[0]?.accountId
    if (accountId === undefined) return []
    const account = this.#accounts.get(accountId)
    const holds = account.openHolds === 0 ? [] : [...this.#holds.values()].filter((live) => live.account === account)
    const ends = lotEnds(
      lots,
      holds.map(({ hold, amount }) => ({ openedAtMs: hold.openedAtMs, amount })),
    )
    const atMs = this.#clock.wallMs()
    const written = ends.map(({ lot, amount }) => enterLotEnd(this.#writer, account, lot, amount, atMs))
    const entries = await Promise.all(written)
    return entries.filter((entry) => entry !== null)
  }

  endLeaks(isAlive: (requestId: string) => boolean): number {
    let count = 0
    for (const { hold, amount } of this.#holds.values()) {
      if (isAlive(hold.requestId)) continue
      const { requestId, accountId } = hold
      count += 1
      this.#log.error('leak', { request_id: requestId, account_id: accountId, held_usd: formatUsd(amount) })
      this.settle({ requestId, end: 'voided', reason: 'leak', usage: NO_USAGE, usageSource: null, covered: null })
    }
    this.#ended.forget(isAlive)
    this.#leaks += count
    return count
  }

  stats(): LedgerStats {
    return { accountsOpen: this.#accounts.size, openHolds: this.#holds.size, leaks: this.#leaks }
  }

  /** What its account and the budgets of its key may pay beside an open hold; null: without a bound. */
  #payableBeside({ hold, account }: LiveHold, budgets: KeyBudgets | null): Money | null {
    if (account.kind === 'prepaid') return this.#withinBudgets(hold, budgets, fundsOf(account).available)
    return budgets === null ? null : this.#withinBudgets(hold, budgets, money(Number.MAX_SAFE_INTEGER))
  }

  /** An amount, or what the budgets of the hold's key leave in the windows of the hold when that is less. */
  #withinBudgets({ keyId, openedAtMs }: Hold, budgets: KeyBudgets | null, amount: Money): Money {
    const key = budgets === null ? undefined : this.#keys.find(keyId)
    const budget = key === undefined || budgets === null ? null : budgetLeft(key, budgets, openedAtMs)
    return budget === null ? amount : smaller(amount, budget.left)
  }

  #rowOf(settlement: Settlement, { hold, amount }: LiveHold, figures: SettlementFigures): SettlementRow {
    const { accountId, keyId, openedAtMs: heldAtMs } = hold
    return { ...settlement, ...figures, accountId, keyId, held: amount, heldAtMs, endedAtMs: this.#clock.wallMs() }
  }

  #end(live: LiveHold, { cost, charged, overrun }: SettlementFigures, balance: Money, durable: Durable): Settled {
    this.#release(live, charged)
    live.account.balance = balance
    const settled = { cost, charged, overrun, balance, durable }
    this.#ended.add(live.hold.requestId, settled)
    return settled
  }

  #release({ hold, account, key, amount }: LiveHold, charged: Money): void {
    this.#holds.delete(hold.requestId)
    account.held = subtract(account.held, amount)
    account.openHolds -= 1
    if (key !== null) endHold(key, amount, hold.openedAtMs, charged)
  }

  /** A key that has just come to life: the holds it opened without budgets count from now on. */
  #adopt(key: LiveKey): void {
    for (const live of this.#holds.values()) {
      if (live.hold.keyId !== key.id) continue
      live.key = key
      addHold(key, live.amount, live.hold.openedAtMs)
      if (live.isEnding) key.unacknowledged += 1
    }
  }

  /** The commit of a hold failed: there is nothing on disk to settle, so whoever ends the request later is answered zeros. */
  #releaseUnwritten(live: LiveHold): void {
    const { hold, account, durable } = live
    if (this.#holds.get(hold.requestId) !== live) return // settled meanwhile: the settlement carries the hold
    this.#release(live, ZERO)
    this.#ended.keep(hold.requestId, { cost: ZERO, charged: ZERO, overrun: ZERO, balance: account.balance, durable })
  }

  #watchPosting(live: LiveHold, durable: Durable): void {
    const { account } = live
    this.#lastPosting = durable
    account.unacknowledged += 1
    if (live.key !== null) live.key.unacknowledged += 1
    durable.then(() => {
      account.unacknowledged -= 1
      if (live.key !== null) acknowledge(live.key) // it may have come to life while its settlement was being written in the hold's place
    })
  }
}

const ignore = (): void => {}
