import type { Database } from 'bun:sqlite'
import { and, desc, eq, isNull } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { BudgetDays, Key } from '../../domain/index.ts'
import type { AccountFigures, ListedKey, ListedKeysWish } from '../keys-contract.ts'
import { keySpendOf } from './key-spend.ts'
import { keyRow } from './rows.ts'
import { key } from './schema.ts'

const LISTED_MAX = 100

interface FigureColumns {
  readonly credited: string
  readonly balance: string
  readonly promo: string
  readonly spent: string
}

/** Reads about keys, and of what their accounts have. Sums cross as text: they may be beyond what a number carries. */
export function keyQueries(connection: Database) {
  const db = drizzle(connection)
  const spendOf = keySpendOf(db)

  const listed = (row: typeof key.$inferSelect, since: BudgetDays): ListedKey => ({
    key: keyRow(row),
    hash: row.hash,
    createdAtMs: row.createdAtMs,
    spend: spendOf(row.id, since),
  })

  return {
    key(keyId: string): Key | null {
      return db.select().from(key).where(eq(key.id, keyId)).limit(1).all().map(keyRow)[0] ?? null
    },
    listedKeys({ accountId, withDisabled, offset, since }: ListedKeysWish): ListedKey[] {
      const ofAccount = accountId === null ? undefined : eq(key.accountId, accountId)
      const inUse = withDisabled ? [] : [isNull(key.revokedAtMs), eq(key.disabled, false)]
      const where = and(ofAccount, ...inUse)
      const newest = db.select().from(key).where(where).orderBy(desc(key.createdAtMs), desc(key.id))
      return newest
        .limit(LISTED_MAX)
        .offset(offset)
        .all()
        .map((row) => listed(row, since))
    },
    listedKey(hash: string, since: BudgetDays): ListedKey | null {
      const rows = db.select().from(key).where(eq(key.hash, hash)).limit(1).all()
      return rows.map((row) => listed(row, since))[0] ?? null
    },
    /** In one statement: of one moment. */
    accountFigures(accountId: string | null, day: number): AccountFigures {
      const sql = accountId === null ? FIGURES.all : FIGURES.one
      const row = connection.prepare<FigureColumns, { account: string; day: number }>(sql).get({
        account: accountId ?? '',
        day,
      })
      return {
        credited: BigInt(row?.credited ?? 0),
        balance: BigInt(row?.balance ?? 0),
        promo: BigInt(row?.promo ?? 0),
        spentOnDay: BigInt(row?.spent ?? 0),
      }
    },
  }
}

/** The bind is named in both, so that both take the same. */
const figuresSql = (ofAccount: string, id: string, keys: string): string => `SELECT
  CAST((SELECT coalesce(sum(amount), 0) FROM entry WHERE kind <> 'refund' ${ofAccount}) AS TEXT) AS credited,
  CAST((SELECT coalesce(sum(remaining), 0) FROM promo_lot WHERE remaining > 0 ${ofAccount}) AS TEXT) AS promo,
  CAST((SELECT coalesce(sum(balance), 0) FROM account ${id}) AS TEXT) AS balance,
  CAST((SELECT coalesce(sum(charged), 0) FROM key_spend WHERE day = $day ${keys}) AS TEXT) AS spent
  WHERE $account IS NOT NULL`

const FIGURES = {
  all: figuresSql('', '', ''),
  one: figuresSql(
    'AND account_id = $account',
    'WHERE id = $account',
    'AND key_id IN (SELECT id FROM key WHERE account_id = $account)',
  ),
}
