import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { GatewayError } from '../../domain/index.ts'
import type { MainReads } from '../contract.ts'
import { adminMainReads } from './admin-main-reads.ts'
import { readableConnection } from './connection.ts'
import { keySpendOf } from './key-spend.ts'
import { accountRow, keyRow, sealedCredential } from './rows.ts'
import { account, key, keyWindow, ownCredential } from './schema.ts'
import { describeError } from './sqlite-error.ts'
import { storedMainReads } from './stored-queries.ts'

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
  const credentialsOfAccount = db
    .select()
    .from(ownCredential)
    .where(eq(ownCredential.accountId, sql.placeholder('id')))
    .orderBy(asc(ownCredential.createdAtMs), asc(ownCredential.id))
    .prepare()
  const spendOfKey = keySpendOf(db)
  const windowOfKey = db
    .select()
    .from(keyWindow)
    .where(and(eq(keyWindow.keyId, sql.placeholder('id')), gt(keyWindow.lastAtMs, sql.placeholder('after'))))
    .orderBy(asc(keyWindow.firstAtMs))
    .prepare()

  return {
    async keyByHash(hash) {
      const row = attempt(() => keyByHash.get({ hash }))
      return row === undefined ? null : keyRow(row)
    },
    async account(accountId) {
      const row = attempt(() => accountById.get({ id: accountId }))
      if (row === undefined) return null
      const credentials = attempt(() => credentialsOfAccount.all({ id: accountId }))
      return { ...accountRow(row), credentials: credentials.map(sealedCredential) }
    },
    async keySpend(keyId, since) {
      return attempt(() => spendOfKey(keyId, since))
    },
    async keyWindow(keyId, afterMs) {
      return attempt(() => windowOfKey.all({ id: keyId, after: afterMs }))
    },
    ...adminMainReads(connection, attempt),
    ...storedMainReads(connection, attempt),
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
