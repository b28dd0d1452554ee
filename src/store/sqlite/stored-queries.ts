import type { Database } from 'bun:sqlite'
import { and, asc, desc, eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { StoredThing } from '../../domain/index.ts'
import type { StoredMainReads, StoredQuery } from '../stored-contract.ts'
import { pageSize } from './page-size.ts'
import { stored } from './schema.ts'

/** Reads of what providers keep for accounts, in pages. */
export function storedQueries(connection: Database) {
  const db = drizzle(connection)
  return {
    storedThings({ accountId, kind, isNewestFirst, limit, after }: StoredQuery): StoredThing[] {
      const place = sql`(${stored.createdAtMs}, ${stored.id})`
      const last = sql`(SELECT created_at_ms, id FROM stored WHERE account_id = ${accountId} AND id = ${after})`
      const behind = isNewestFirst ? sql`${place} < ${last}` : sql`${place} > ${last}`
      const order = isNewestFirst ? desc : asc
      return db
        .select()
        .from(stored)
        .where(and(eq(stored.accountId, accountId), eq(stored.kind, kind), after === null ? undefined : behind))
        .orderBy(order(stored.createdAtMs), order(stored.id))
        .limit(pageSize({ limit, after }))
        .all()
    },
  }
}

/** The read by account and id on the main thread; `attempt` runs it, and says what its failure means. */
export function storedMainReads(connection: Database, attempt: <R>(read: () => R) => R): StoredMainReads {
  const one = drizzle(connection)
    .select()
    .from(stored)
    .where(and(eq(stored.accountId, sql.placeholder('accountId')), eq(stored.id, sql.placeholder('id'))))
    .limit(1)
    .prepare()
  return {
    storedThing: async (accountId, id) => attempt(() => one.get({ accountId, id })) ?? null,
  }
}
