import { GatewayError, type Money, money, negate } from '../../src/domain/index.ts'
import { assert } from '../../src/lib/index.ts'
import type {
  ChangeNote,
  CreditReads,
  CreditWrites,
  Entry,
  LotEnd,
  NewEntry,
  PromoLot,
  Reader,
  SettlementRow,
  Writer,
} from '../../src/store/index.ts'
import { bySeq, cut, newestFirst } from './store-double-pages.ts'
import type { Tables } from './store-double-tables.ts'

/** The reads of money that is no settlement, from the tables as they are. */
export const creditReads = (tables: Tables): CreditReads & Pick<Reader, 'entries'> => ({
  async entries(accountId, page) {
    const rows = cut(newestFirst(tables.entries.filter((entry) => entry.accountId === accountId)), page, bySeq)
    return rows.map((row) => {
      const remaining = tables.lots.get(row.seq)?.lot.remaining
      return remaining === undefined ? row : { ...row, remaining }
    })
  },
  async refundable(requestId) {
    const row = tables.settlements.get(requestId)
    if (row === undefined) return null
    return { accountId: row.accountId, charged: row.charged, refunded: refundedOf(tables, requestId) }
  },
  async lotsDue(byMs, page) {
    const lots = [...tables.lots.values()].map(({ lot }) => lot)
    return cut(
      lots.filter(({ remaining, expiresAtMs }) => remaining > 0 && expiresAtMs <= byMs).sort(byEnd),
      page,
      bySeq,
    )
  },
})

/** The writes; `noted` brings a change to the double's disk. */
export const creditWrites = (
  tables: Tables,
  noted: <T>(note: ChangeNote | undefined, apply: () => T) => Promise<T>,
): CreditWrites & Pick<Writer, 'enter'> => ({
  enter: (entry, note) => noted(note, () => writeEntry(tables, entry)),
  endLot: (end) => noted(undefined, () => endLot(tables, end)),
})

/** Writes a movement as the ledger file does. */
function writeEntry(tables: Tables, entry: NewEntry): Entry {
  if (entry.kind === 'refund') return refund(tables, entry)
  const written = push(tables, entry)
  const { seq, accountId, amount, expiresAtMs } = written
  if (expiresAtMs !== undefined)
    tables.lots.set(seq, { lot: { seq, accountId, amount, remaining: amount, expiresAtMs }, used: new Map() })
  takeExcess(tables, accountId, written.balanceAfter, null)
  return written
}

/** What remains of a lot leaves the balance. */
function endLot(tables: Tables, { lot, accountId, amountMax, actor, atMs }: LotEnd): Entry | null {
  const amount = money(Math.min(amountMax, tables.lots.get(lot)?.lot.remaining ?? 0))
  if (amount <= 0) return null
  moveLot(tables, lot, -amount, null)
  return push(tables, { kind: 'promo_expiry', accountId, amount: negate(amount), note: null, actor, atMs }, { lot })
}

/** What a settlement uses of lots, before it lowers the balance. */
export function useLots(tables: Tables, { accountId, requestId, charged, heldAtMs }: SettlementRow): void {
  let due: number = charged
  for (const { seq, remaining, expiresAtMs } of lotsOf(tables, accountId)) {
    if (expiresAtMs <= heldAtMs) continue
    const taken = Math.min(remaining, due)
    moveLot(tables, seq, -taken, requestId)
    due -= taken
  }
  const balance = tables.accounts.get(accountId)?.balance ?? 0
  takeExcess(tables, accountId, balance - charged, requestId)
}

/** Adds to an account's balance; answers what it is then. */
export function moveBalance({ accounts }: Tables, accountId: string, amount: number): Money {
  const row = accounts.get(accountId)
  if (row === undefined) throw new GatewayError('not_found', `There is no account ${accountId}.`)
  const balance = money(row.balance + amount)
  assert(row.account.kind === 'unmetered' || balance >= 0, `the balance of ${accountId} is ${balance} on disk`)
  accounts.set(accountId, { ...row, balance })
  return balance
}

function refund(tables: Tables, entry: NewEntry): Entry {
  const { requestId = '', accountId, amount } = entry
  const settlement = tables.settlements.get(requestId)
  if (settlement?.accountId !== accountId) throw new GatewayError('not_found', `There is no request ${requestId}.`)
  const left = settlement.charged - refundedOf(tables, requestId)
  if (amount > left) throw new GatewayError('conflict', `The request was charged ${settlement.charged}.`)
  const used = [...tables.lots.values()].sort((one, other) => byEnd(other.lot, one.lot))
  const usedInAll = used.reduce((sum, lot) => sum + (lot.used.get(requestId) ?? 0), 0)
  let toLots = Math.max(0, amount - (left - usedInAll))
  for (const { lot, used: by } of used) {
    const back = Math.min(by.get(requestId) ?? 0, toLots)
    moveLot(tables, lot.seq, back, requestId)
    toLots -= back
  }
  return push(tables, entry)
}

const refundedOf = ({ entries }: Tables, requestId: string): Money =>
  money(entries.filter((entry) => entry.requestId === requestId).reduce((sum, { amount }) => sum + amount, 0))

function push(tables: Tables, entry: NewEntry, more: Pick<Entry, 'lot'> = {}): Entry {
  const balanceAfter = moveBalance(tables, entry.accountId, entry.amount)
  const written = { ...entry, ...more, seq: tables.entries.length + 1, balanceAfter }
  tables.entries.push(written)
  return written
}

function takeExcess(tables: Tables, accountId: string, balance: number, requestId: string | null): void {
  const lots = lotsOf(tables, accountId)
  let excess = lots.reduce((sum, { remaining }) => sum + remaining, 0) - Math.max(0, balance)
  for (const { seq, remaining } of lots) {
    const taken = Math.min(remaining, Math.max(0, excess))
    moveLot(tables, seq, -taken, requestId)
    excess -= taken
  }
}

function moveLot({ lots }: Tables, seq: number, amount: number, requestId: string | null): void {
  const row = lots.get(seq)
  if (row === undefined || amount === 0) return
  const used = new Map(row.used)
  if (requestId !== null) used.set(requestId, (used.get(requestId) ?? 0) - amount)
  lots.set(seq, { lot: { ...row.lot, remaining: money(row.lot.remaining + amount) }, used })
}

const lotsOf = ({ lots }: Tables, accountId: string): PromoLot[] =>
  [...lots.values()]
    .map(({ lot }) => lot)
    .filter((lot) => lot.accountId === accountId)
    .sort(byEnd)

const byEnd = (one: PromoLot, other: PromoLot): number => one.expiresAtMs - other.expiresAtMs || one.seq - other.seq
