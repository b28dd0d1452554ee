import { eq, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { type BudgetDays, type Money, ZERO } from '../../domain/index.ts'
import type { KeySpend } from '../keys-contract.ts'
import { keySpend } from './schema.ts'

/** Prepares the read of what a key's requests were charged: in all, and since the beginning of each window. */
export function keySpendOf(db: BunSQLiteDatabase): (keyId: string, since: BudgetDays) => KeySpend {
  const statement = db
    .select({
      total: sumSince(null),
      day: sumSince('day'),
      week: sumSince('week'),
      month: sumSince('month'),
    })
    .from(keySpend)
    .where(eq(keySpend.keyId, sql.placeholder('id')))
    .prepare()
  return (keyId, since) => statement.get({ id: keyId, ...since }) ?? { total: ZERO, day: ZERO, week: ZERO, month: ZERO }
}

/** A sum beyond what can be counted is the largest number that can. */
function sumSince(first: string | null) {
  const filter = first === null ? sql`` : sql` FILTER (WHERE ${keySpend.day} >= ${sql.placeholder(first)})`
  return sql<Money>`min(coalesce(sum(${keySpend.charged})${filter}, 0), ${sql.raw(String(Number.MAX_SAFE_INTEGER))})`
}
