import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { GatewayError, type Money, ZERO } from '../../domain/index.ts'
import type { MainReads } from '../contract.ts'
import { adminMainReads } from './admin-main-reads.ts'
import { readableConnection } from './connection.ts'
import { accountRow, keyRow, sealedCredential } from './rows.ts'
import { account, key, keySpend, keyWindow, ownCredential } from './schema.ts'
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
  const credentialsOfAccount = db
    .select()
    .from(ownCredential)
    .where(eq(ownCredential.accountId, sql.placeholder('id')))
    .orderBy(asc(ownCredential.createdAtMs), asc(ownCredential.id))
    .prepare()
  const spendOfKey = db
    .select({
      total: sumSince(null),
      day: sumSince('day'),
      week: sumSince('week'),
      month: sumSince('month'),
    })
    .from(keySpend)
    .where(eq(keySpend.keyId, sql.placeholder('id')))
    .prepare()
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
      const sums = attempt(() => spendOfKey.get({ id: keyId, ...since }))
      return sums ?? { total: ZERO, day: ZERO, week: ZERO, month: ZERO }
    },
    async keyWindow(keyId, afterMs) {
      return attempt(() => windowOfKey.all({ id: keyId, after: afterMs }))
    },
    ...adminMainReads(connection, attempt),
    close: () => connection.close(),
  }
}

/** A sum beyond what can be counted is the largest number that can. */
function sumSince(first: string | null) {
  const filter = first === null ? sql`` : sql` FILTER (WHERE ${keySpend.day} >= ${sql.placeholder(first)})`
  return sql<Money>`min(coalesce(sum(${keySpend.charged})${filter}, 0), ${sql.raw(String(Number.MAX_SAFE_INTEGER))})`
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
