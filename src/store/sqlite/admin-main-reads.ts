import type { Database } from 'bun:sqlite'
import { and, eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { AdminMainReads } from '../admin-contract.ts'
import { managementKeyRow } from './rows.ts'
import { idempotency, managementKey } from './schema.ts'

/** The reads of who administers by a unique key; `attempt` runs each, and says what its failure means. */
export function adminMainReads(connection: Database, attempt: <R>(read: () => R) => R): AdminMainReads {
  const db = drizzle(connection)
  const managementKeyByHash = db
    .select()
    .from(managementKey)
    .where(eq(managementKey.hash, sql.placeholder('hash')))
    .limit(1)
    .prepare()
  const keptAnswer = db
    .select()
    .from(idempotency)
    .where(
      and(
        eq(idempotency.actor, sql.placeholder('actor')),
        eq(idempotency.idempotencyKey, sql.placeholder('idempotencyKey')),
      ),
    )
    .limit(1)
    .prepare()

  return {
    async managementKeyByHash(hash) {
      const row = attempt(() => managementKeyByHash.get({ hash }))
      return row === undefined ? null : managementKeyRow(row)
    },
    async keptAnswer(actor, idempotencyKey) {
      const row = attempt(() => keptAnswer.get({ actor, idempotencyKey }))
      return row === undefined ? null : { requestHash: row.requestHash, answer: row.answer, sealed: row.sealed }
    },
  }
}
