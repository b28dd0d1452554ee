import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { add, formatUsd, type Money, money, negate, smaller, subtract } from '../../domain/index.ts'
import type { Entry, NewEntry } from '../contract.ts'
import type { LotEnd } from '../credits-contract.ts'
import { type CommandEnd, done, noAccount, type Runners, refused } from './command-end.ts'
import { grantLot, moveLot, remainingOf, takeExcess, usedOfLots } from './lots.ts'
import { hasWebhooks, noticeBalance } from './notices.ts'
import { runSql } from './run-sql.ts'

/** Movements of money that are no settlements, as they cross to the writer thread. */
export type EntryCommand =
  | { readonly kind: 'entry'; readonly entry: NewEntry }
  | { readonly kind: 'lot_end'; readonly end: LotEnd }

/** What each of them answers when it was done. */
export interface EntryAnswers {
  readonly entry: Entry
  readonly lot_end: Entry | null
}

const SQL = {
  insert: `INSERT INTO entry (kind, account_id, amount, note, actor, at_ms, balance_after, request_id, expires_at_ms, lot)
    SELECT ?1, id, ?3, ?4, ?5, ?6, balance + ?3, ?7, ?8, ?9 FROM account WHERE id = ?2 RETURNING seq, balance_after`,
  addToBalance: `UPDATE account SET balance = balance + ? WHERE id = ?`,
  charged: `SELECT charged FROM settlement WHERE request_id = ? AND account_id = ?`,
  refunded: `SELECT coalesce(sum(amount), 0) AS refunded FROM entry WHERE request_id = ?`,
}

export const ENTRY_RUNNERS: Runners<EntryCommand, EntryAnswers> = {
  entry: (db, { entry }) => noticed(db, entry, enter(db, entry)),
  lot_end: (db, { end }) => noticed(db, end, done(endLot(db, end))),
}

function noticed<A>(db: Database, { accountId, atMs }: NewEntry | LotEnd, end: CommandEnd<A>): CommandEnd<A> {
  if (end.kind === 'done' && hasWebhooks(db)) noticeBalance(db, accountId, atMs)
  return end
}

function enter(db: Database, entry: NewEntry): CommandEnd<Entry> {
  if (entry.kind === 'refund') return refund(db, entry)
  const written = insert(db, entry)
  if (written === null) return noAccount(entry.accountId)
  if (entry.kind === 'promo_grant') grantLot(db, written)
  else if (entry.amount < 0) takeExcess(db, entry.accountId, { entry: written.seq })
  return done(written)
}

function insert(db: Database, entry: NewEntry & { readonly lot?: number }): Entry | null {
  const { kind, accountId, amount, note, actor, atMs, requestId = null, expiresAtMs = null, lot = null } = entry
  const row = db
    .prepare<{ seq: number; balance_after: Money }, SQLQueryBindings[]>(SQL.insert)
    .get(kind, accountId, amount, note, actor, atMs, requestId, expiresAtMs, lot)
  if (row === null) return null
  runSql(db, SQL.addToBalance, amount, accountId)
  return { ...entry, seq: row.seq, balanceAfter: row.balance_after }
}

/** What a request used of lots goes back to them last, to the one that ends last first: the opposite of how it was taken. */
function refund(db: Database, entry: NewEntry): CommandEnd<Entry> {
  const { requestId = '', accountId, amount } = entry
  const charged = db.prepare<{ charged: Money }, string[]>(SQL.charged).get(requestId, accountId)?.charged
  if (charged === undefined) return refused('not_found', `The account has no settled request '${requestId}'.`)
  const refunded = db.prepare<{ refunded: Money }, string[]>(SQL.refunded).get(requestId)?.refunded ?? money(0)
  const left = subtract(charged, refunded)
  if (amount > left)
    return refused(
      'conflict',
      `The request was charged $${formatUsd(charged)}, of which $${formatUsd(refunded)} was refunded: $${formatUsd(amount)} is more than is left.`,
    )
  const used = usedOfLots(db, requestId)
  const written = insert(db, entry)
  if (written === null) return noAccount(accountId)
  const usedInAll = used.reduce((sum, { amount: of }) => add(sum, of), money(0))
  let toLots = money(Math.max(0, amount - (left - usedInAll)))
  for (const { lot, amount: of } of used) {
    const back = smaller(of, toLots)
    if (back > 0) moveLot(db, lot, back, { entry: written.seq, requestId })
    toLots = subtract(toLots, back)
  }
  return done(written)
}

function endLot(db: Database, { lot, accountId, amountMax, actor, atMs }: LotEnd): Entry | null {
  const amount = smaller(amountMax, remainingOf(db, lot))
  if (amount <= 0) return null
  const entry = { kind: 'promo_expiry', accountId, amount: negate(amount), note: null, actor, atMs, lot } as const
  const written = insert(db, entry)
  if (written !== null) moveLot(db, lot, negate(amount), { entry: written.seq })
  return written
}
