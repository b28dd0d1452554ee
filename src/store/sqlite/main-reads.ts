import { and, eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { GatewayError } from '../../domain/index.ts'
import type { MainReads } from '../contract.ts'
import { readableConnection } from './connection.ts'
import { accountRow, keyRow, managementKeyRow } from './rows.ts'
import { account, idempotency, key, managementKey } from './schema.ts'
import { describeError } from './sqlite-error.ts'

/**
 * Reads by a unique key on the main thread: prepared once, about 5 µs each. They are synchronous inside, so nothing else runs meanwhile.
 * A read that fails rejects with `GatewayError` `storage_unavailable`.
 */
export function openMainReads(ledgerPath: string): MainReads & { close(): void } {
  const connection = readableConnection(ledgerPath)
  const db = drizzle(connection)
  const keyByHash = db
    .select()
    .from(key)
    .where(eq(key.hash, sql.placeholder('hash')))
    .limit(1)
    .prepare()
  const accountById = db
    .select()
    .from(account)
    .where(eq(account.id, sql.placeholder('id')))
    .limit(1)
    .prepare()
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
    async keyByHash(hash) {
      const row = attempt(() => keyByHash.get({ hash }))
      return row === undefined ? null : keyRow(row)
    },
    async account(accountId) {
      const row = attempt(() => accountById.get({ id: accountId }))
      return row === undefined ? null : accountRow(row)
    },
    async managementKeyByHash(hash) {
      const row = attempt(() => managementKeyByHash.get({ hash }))
      return row === undefined ? null : managementKeyRow(row)
    },
    async keptAnswer(actor, idempotencyKey) {
      const row = attempt(() => keptAnswer.get({ actor, idempotencyKey }))
      return row === undefined ? null : { requestHash: row.requestHash, answer: row.answer, sealed: row.sealed }
    },
    close: () => connection.close(),
  }
}

function attempt<R>(read: () => R): R {
  try {
    return read()
  } catch (error) {
    throw new GatewayError('storage_unavailable', 'The ledger cannot be read. Please try again later.', {
      internal: describeError(error),
    })
  }
}
