import type { Database } from 'bun:sqlite'
import { type Money, money, negate, smaller, subtract, ZERO } from '../../domain/index.ts'
import { assert } from '../../lib/index.ts'
import type { Entry } from '../contract.ts'
import { runSql } from './run-sql.ts'

const SQL = {
  insert: `INSERT INTO promo_lot (seq, account_id, amount, remaining, expires_at_ms) VALUES (?, ?, ?, 0, ?)`,
  post: `INSERT INTO lot_posting (lot, amount, request_id, entry) VALUES (?, ?, ?, ?)`,
  move: `UPDATE promo_lot SET remaining = remaining + ? WHERE seq = ?`,
  remaining: `SELECT remaining FROM promo_lot WHERE seq = ?`,
  any: `SELECT 1 AS found FROM promo_lot INDEXED BY promo_lot_by_end WHERE remaining > 0 LIMIT 1`,
  open: `SELECT seq, remaining, expires_at_ms FROM promo_lot WHERE account_id = ? AND remaining > 0 ORDER BY expires_at_ms, seq`,
  used: `SELECT lot, -sum(lot_posting.amount) AS amount FROM lot_posting JOIN promo_lot ON promo_lot.seq = lot
    WHERE request_id = ? GROUP BY lot HAVING sum(lot_posting.amount) < 0 ORDER BY expires_at_ms DESC, lot DESC`,
  balance: `SELECT balance FROM account WHERE id = ?`,
}

/** Why a lot moved: the request that used it, the entry that gave or took, or both for a refund. */
export type LotCause = { readonly entry: number; readonly requestId?: string } | { readonly requestId: string }

/** What a request was charged, of what its hold had set aside since then. */
export interface Charge {
  readonly requestId: string
  readonly charged: Money
  readonly heldAtMs: number
}

interface OpenLot {
  readonly seq: number
  remaining: Money
  readonly expires_at_ms: number
}

/** The lot of a grant that was just written. Like all of this file, inside the caller's transaction. */
export function grantLot(db: Database, { seq, accountId, amount, expiresAtMs }: Entry): void {
  assert(expiresAtMs !== undefined, 'a grant ends')
  runSql(db, SQL.insert, seq, accountId, amount, expiresAtMs)
  moveLot(db, seq, amount, { entry: seq })
}

/** Adds to what remains of a lot; the table refuses less than nothing, and more than was granted. */
export function moveLot(db: Database, lot: number, amount: Money, cause: LotCause): void {
  runSql(db, SQL.post, lot, amount, cause.requestId ?? null, 'entry' in cause ? cause.entry : null)
  runSql(db, SQL.move, amount, lot)
}

/** What remains of a lot; 0 when there is no such lot. */
export const remainingOf = (db: Database, lot: number): Money =>
  db.prepare<{ remaining: Money }, [number]>(SQL.remaining).get(lot)?.remaining ?? ZERO

/** What a request used of lots, less what was refunded to them; the one that ends last first. */
export const usedOfLots = (db: Database, requestId: string): { readonly lot: number; readonly amount: Money }[] =>
  db.prepare<{ lot: number; amount: Money }, [string]>(SQL.used).all(requestId)

/** Whether any account has a lot: most ledgers have none, and then settlements need not look for theirs. */
export const hasLots = (db: Database): boolean => db.prepare<{ found: number }, []>(SQL.any).get() !== null

/** A balance that was just lowered is never less than its lots: they lose what they have more, the one that ends first at first. */
export function takeExcess(db: Database, accountId: string, cause: LotCause): void {
  const lots = openLots(db, accountId)
  let excess = money(Math.max(0, sumOf(lots) - balanceOf(db, accountId)))
  for (const lot of lots) excess = subtract(excess, take(db, lot, excess, cause))
}

/**
 * What settlements of one account, whose balance does not have them yet, use of its lots: those that had not ended when their holds were opened,
 * the one that ends first at first. Only where nothing else is left, others: their end is not written yet.
 */
export function useLots(db: Database, accountId: string, charges: readonly Charge[]): void {
  const lots = openLots(db, accountId)
  if (lots.length === 0) return
  let balance: number = balanceOf(db, accountId)
  for (const { requestId, charged, heldAtMs } of charges) {
    let due = charged
    for (const lot of lots) {
      if (lot.expires_at_ms > heldAtMs) due = subtract(due, take(db, lot, due, { requestId }))
    }
    balance -= charged
    let excess = money(Math.max(0, sumOf(lots) - Math.max(0, balance)))
    for (const lot of lots) excess = subtract(excess, take(db, lot, excess, { requestId }))
  }
}

function take(db: Database, lot: OpenLot, amount: Money, cause: LotCause): Money {
  const taken = smaller(lot.remaining, amount)
  if (taken <= 0) return ZERO
  moveLot(db, lot.seq, negate(taken), cause)
  lot.remaining = subtract(lot.remaining, taken)
  return taken
}

const openLots = (db: Database, accountId: string): OpenLot[] => db.prepare<OpenLot, [string]>(SQL.open).all(accountId)

const sumOf = (lots: readonly OpenLot[]): number => lots.reduce((sum, { remaining }) => sum + remaining, 0)

const balanceOf = (db: Database, accountId: string): Money =>
  db.prepare<{ balance: Money }, [string]>(SQL.balance).get(accountId)?.balance ?? ZERO
