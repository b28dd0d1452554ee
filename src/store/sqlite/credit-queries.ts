import type { Database } from 'bun:sqlite'
import { and, asc, desc, eq, lt, lte, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { add, ZERO } from '../../domain/index.ts'
import type { Entry } from '../contract.ts'
import type { PromoLot, Refundable } from '../credits-contract.ts'
import type { Page } from '../page.ts'
import { pageSize } from './page-size.ts'
import { entryRow } from './rows.ts'
import { entry, promoLot, settlement } from './schema.ts'

/** Reads of money that is no settlement, in keyset pages. A cursor that names no row (or no number) ends the list. */
export function creditQueries(connection: Database) {
  const db = drizzle(connection)
  return {
    /** Newest first; the cursor is a `seq`. */
    entries(accountId: string, page: Page): Entry[] {
      const before = page.after === null ? undefined : lt(entry.seq, Number(page.after))
      const rows = db
        .select({ entry, remaining: promoLot.remaining })
        .from(entry)
        .leftJoin(promoLot, eq(promoLot.seq, entry.seq))
        .where(and(eq(entry.accountId, accountId), before))
        .orderBy(desc(entry.seq))
        .limit(pageSize(page))
        .all()
      return rows.map((row) => entryRow(row.entry, row.remaining))
    },
    refundable(requestId: string): Refundable | null {
      const { accountId, charged } = settlement
      const of = eq(settlement.requestId, requestId)
      const row = db.select({ accountId, charged }).from(settlement).where(of).limit(1).all()[0]
      if (row === undefined) return null
      const refunds = db.select({ amount: entry.amount }).from(entry).where(eq(entry.requestId, requestId)).all()
      return { ...row, refunded: sumOf(refunds) }
    },
    /** By their end; the cursor is a lot's number. */
    lotsDue(byMs: number, page: Page): PromoLot[] {
      // Written out, not bound: the index has these rows alone.
      const place = sql`(${promoLot.expiresAtMs}, ${promoLot.seq})`
      const after =
        page.after === null
          ? undefined
          : sql`${place} > (SELECT expires_at_ms, seq FROM promo_lot WHERE seq = ${Number(page.after)})`
      return db
        .select()
        .from(promoLot)
        .where(and(lte(promoLot.expiresAtMs, byMs), sql`${promoLot.remaining} > 0`, after))
        .orderBy(asc(promoLot.expiresAtMs), asc(promoLot.seq))
        .limit(pageSize(page))
        .all()
    },
  }
}

const sumOf = (rows: readonly { readonly amount: Entry['amount'] }[]): Entry['amount'] =>
  rows.reduce((sum, { amount }) => add(sum, amount), ZERO)
