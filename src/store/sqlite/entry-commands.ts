import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { add, type ErrorCode, formatUsd, type Money, money, negate, smaller, subtract } from '../../domain/index.ts'
import type { Entry, NewEntry } from '../contract.ts'
import type { LotEnd } from '../credits-contract.ts'
import { grantLot, moveLot, remainingOf, takeExcess, usedOfLots } from './lots.ts'
import { hasWebhooks, noticeBalance } from './notices.ts'

/** Movements of money that are no settlements, as they cross to the writer thread. */
export type EntryCommand =
  | { readonly kind: 'entry'; readonly entry: NewEntry }
  | { readonly kind: 'lot_end'; readonly end: LotEnd }

/** What each of them answers when it was done. */
export interface EntryAnswers {
  readonly entry: Entry
  readonly lot_end: Entry | null
}

export type EntryCommandEnd =
  | { readonly kind: 'done'; readonly answer: EntryAnswers[keyof EntryAnswers] }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string }

const SQL = {
  insert: `INSERT INTO entry (kind, account_id, amount, note, actor, at_ms, balance_after, request_id, expires_at_ms, lot)
    SELECT ?1, id, ?3, ?4, ?5, ?6, balance + ?3, ?7, ?8, ?9 FROM account WHERE id = ?2 RETURNING seq, balance_after`,
  addToBalance: `UPDATE account SET balance = balance + ? WHERE id = ?`,
  charged: `SELECT charged FROM settlement WHERE request_id = ? AND account_id = ?`,
  refunded: `SELECT coalesce(sum(amount), 0) AS refunded FROM entry WHERE request_id = ?`,
}

/** Does one command inside the caller's transaction. Throws what a constraint refuses: the caller undoes what it had done by then. */
export function runEntryCommand(db: Database, command: EntryCommand): EntryCommandEnd {
  const end = run(db, command)
  const { accountId, atMs } = command.kind === 'entry' ? command.entry : command.end
  if (end.kind === 'done' && hasWebhooks(db)) noticeBalance(db, accountId, atMs)
  return end
}

function run(db: Database, command: EntryCommand): EntryCommandEnd {
  if (command.kind === 'lot_end') return { kind: 'done', answer: endLot(db, command.end) }
  const { entry } = command
  if (entry.kind === 'refund') return refund(db, entry)
  const written = insert(db, entry)
  if (written === null) return noAccount(entry)
  if (entry.kind === 'promo_grant') grantLot(db, written)
  else if (entry.amount < 0) takeExcess(db, entry.accountId, { entry: written.seq })
  return { kind: 'done', answer: written }
}

function insert(db: Database, entry: NewEntry & { readonly lot?: number }): Entry | null {
  const { kind, accountId, amount, note, actor, atMs, requestId = null, expiresAtMs = null, lot = null } = entry
  const row = db
    .prepare<{ seq: number; balance_after: Money }, SQLQueryBindings[]>(SQL.insert)
    .get(kind, accountId, amount, note, actor, atMs, requestId, expiresAtMs, lot)
  if (row === null) return null
  db.prepare<unknown, SQLQueryBindings[]>(SQL.addToBalance).run(amount, accountId)
  return { ...entry, seq: row.seq, balanceAfter: row.balance_after }
}

/** What a request used of lots goes back to them last, to the one that ends last first: the opposite of how it was taken. */
function refund(db: Database, entry: NewEntry): EntryCommandEnd {
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
  if (written === null) return noAccount(entry)
  const usedInAll = used.reduce((sum, { amount: of }) => add(sum, of), money(0))
  let toLots = money(Math.max(0, amount - (left - usedInAll)))
  for (const { lot, amount: of } of used) {
    const back = smaller(of, toLots)
    if (back > 0) moveLot(db, lot, back, { entry: written.seq, requestId })
    toLots = subtract(toLots, back)
  }
  return { kind: 'done', answer: written }
}

function endLot(db: Database, { lot, accountId, amountMax, actor, atMs }: LotEnd): Entry | null {
  const amount = smaller(amountMax, remainingOf(db, lot))
  if (amount <= 0) return null
  const entry = { kind: 'promo_expiry', accountId, amount: negate(amount), note: null, actor, atMs, lot } as const
  const written = insert(db, entry)
  if (written !== null) moveLot(db, lot, negate(amount), { entry: written.seq })
  return written
}

const noAccount = ({ accountId }: NewEntry): EntryCommandEnd =>
  refused('not_found', `There is no account '${accountId}'.`)

const refused = (code: ErrorCode, message: string): EntryCommandEnd => ({ kind: 'refused', code, message })
