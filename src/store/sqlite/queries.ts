import type { Database } from 'bun:sqlite'
import { and, asc, desc, eq, gt, isNotNull, lt, type SQL, sql } from 'drizzle-orm'
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite'
import type { Hold, Key } from '../../domain/index.ts'
import type { AccountRow, Page, SettlementView, StoredRecord } from '../contract.ts'
import type { SealedContent } from '../records-contract.ts'
import { adminQueries } from './admin-queries.ts'
import { backendQueries } from './backend-queries.ts'
import { creditQueries } from './credit-queries.ts'
import { keyQueries } from './key-queries.ts'
import { learnedQueries } from './learned-statements.ts'
import { pageSize } from './page-size.ts'
import { attempt, content, request } from './records-schema.ts'
import { accountRow, holdRow, keyRow, settlementView, storedRecord } from './rows.ts'
import { account, hold, key, settlement } from './schema.ts'
import { storedQueries } from './stored-queries.ts'
import { webhookQueries } from './webhook-queries.ts'

/** Reads of the ledger file, in keyset pages. A cursor that names no row (or no number) ends the list. */
export function ledgerQueries(connection: Database) {
  const db = drizzle(connection)
  return {
    ...adminQueries(connection),
    ...backendQueries(connection),
    ...storedQueries(connection),
    ...creditQueries(connection),
    ...webhookQueries(connection),
    ...keyQueries(connection),
    /** By name; the cursor is an account's id. */
    accounts(page: Page): (AccountRow & { createdAtMs: number })[] {
      const after = page.after === null ? undefined : gt(account.name, nameOf(db, page.after))
      const rows = db.select().from(account).where(after).orderBy(asc(account.name)).limit(pageSize(page)).all()
      return rows.map((row) => ({ ...accountRow(row), createdAtMs: row.createdAtMs }))
    },
    accountNamed(name: string): AccountRow | null {
      const row = db.select().from(account).where(eq(account.name, name)).get()
      return row === undefined ? null : accountRow(row)
    },
    /** By account, name and id; the cursor is a key's id. */
    keys(accountId: string | null, page: Page): Key[] {
      const place = sql`(${key.accountId}, ${key.name}, ${key.id})`
      const after =
        page.after === null
          ? undefined
          : sql`${place} > (SELECT account_id, name, id FROM key WHERE id = ${page.after})`
      const rows = db
        .select()
        .from(key)
        .where(and(ofAccount(key.accountId, accountId), after))
        .orderBy(asc(key.accountId), asc(key.name), asc(key.id))
        .limit(pageSize(page))
        .all()
      return rows.map(keyRow)
    },
    /** Newest first; the cursor is a `seq`. */
    settlements(accountId: string | null, page: Page): SettlementView[] {
      const before = page.after === null ? undefined : lt(settlement.seq, Number(page.after))
      const where = and(ofAccount(settlement.accountId, accountId), before)
      const rows = db.select().from(settlement).where(where).orderBy(desc(settlement.seq)).limit(pageSize(page)).all()
      return rows.map(settlementView)
    },
    /** Open holds, oldest first. */
    holds(accountId: string | null): Hold[] {
      const rows = db
        .select()
        .from(hold)
        .where(ofAccount(hold.accountId, accountId))
        .orderBy(asc(hold.openedAtMs))
        .all()
      return rows.map(holdRow)
    },
  }
}

/** Reads of the records file. Rows that lost their details in a crash are left out: their money is in the settlements. */
export function recordsQueries(connection: Database) {
  const db = drizzle(connection)

  function withAttempts(rows: (typeof request.$inferSelect)[]): StoredRecord[] {
    const ids = rows.map(({ requestId }) => requestId)
    // One text however many they are: a connection keeps a statement for each text.
    const ofThese = sql`${attempt.requestId} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`
    const attempts = db.select().from(attempt).where(ofThese).orderBy(asc(attempt.number)).all()
    const byRequest = Map.groupBy(attempts, ({ requestId }) => requestId)
    return rows.map((row) => storedRecord(row, byRequest.get(row.requestId) ?? [])).filter((record) => record !== null)
  }

  return {
    ...learnedQueries(connection),
    /** Newest first: ids of requests sort by time. The cursor is a request's id. */
    records(page: Page): StoredRecord[] {
      const before = page.after === null ? undefined : lt(request.requestId, page.after)
      const where = and(isNotNull(request.generationId), before)
      return withAttempts(
        db.select().from(request).where(where).orderBy(desc(request.requestId)).limit(pageSize(page)).all(),
      )
    },
    content(requestId: string): SealedContent | null {
      return db.select().from(content).where(eq(content.requestId, requestId)).limit(1).all()[0] ?? null
    },
    contents(page: Page): SealedContent[] {
      const after = page.after === null ? undefined : gt(content.requestId, page.after)
      return db.select().from(content).where(after).orderBy(asc(content.requestId)).limit(pageSize(page)).all()
    },
    record(requestId: string): StoredRecord | null {
      const rows = db.select().from(request).where(eq(request.requestId, requestId)).limit(1).all()
      return withAttempts(rows)[0] ?? null
    },
  }
}

const nameOf = (db: BunSQLiteDatabase, accountId: string): SQL =>
  sql`(${db.select({ name: account.name }).from(account).where(eq(account.id, accountId))})`

const ofAccount = (column: Parameters<typeof eq>[0], accountId: string | null): SQL | undefined =>
  accountId === null ? undefined : eq(column, accountId)
