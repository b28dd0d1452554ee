import type { Database } from 'bun:sqlite'
import { type BudgetName, budgetDays, budgetEndMs, dayOf, formatUsd, type Money } from '../../domain/index.ts'
import { DAY_MS } from '../../lib/index.ts'
import type { WebhookEventKind } from '../webhooks-contract.ts'
import { runSql } from './run-sql.ts'

const NEVER_MS = Number.MAX_SAFE_INTEGER
const PERCENTS = [100, 80] as const
const BUDGETS: readonly BudgetName[] = ['total', 'month', 'week', 'day']

const SQL = {
  any: `SELECT 1 AS found FROM webhook LIMIT 1`,
  rise: `UPDATE webhook SET is_low = 0 WHERE account_id = ?1 AND is_low = 1
    AND (SELECT balance FROM account WHERE id = ?1) >= low_balance + low_balance / 10`,
  fall: `UPDATE webhook SET is_low = 1 WHERE account_id = ?1 AND is_low = 0
    AND (SELECT balance FROM account WHERE id = ?1) < low_balance
    RETURNING low_balance, (SELECT balance FROM account WHERE id = ?1) AS balance`,
  key: `SELECT account_id, name, budget_total AS total, budget_day AS day, budget_week AS week, budget_month AS month
    FROM key JOIN webhook USING (account_id) WHERE key.id = ?`,
  spent: `SELECT min(sum(charged), ${Number.MAX_SAFE_INTEGER}) AS spent FROM key_spend WHERE key_id = ? AND day >= ? AND day < ?`,
  cross: `INSERT INTO budget_crossing (key_id, budget, first_day, percent, amount) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  event: `INSERT INTO webhook_event (id, account_id, kind, data, created_at_ms, next_at_ms)
    VALUES ('evt_' || lower(hex(randomblob(16))), ?1, ?2, ?3, ?4, ?4)`,
}

type KeyColumns = { readonly account_id: string; readonly name: string } & Readonly<Record<BudgetName, Money | null>>

/** After an account's balance has moved, in the same transaction, as all of this file: it is told once when it falls below its mark, and may be told again after it was a tenth above. */
export function noticeBalance(db: Database, accountId: string, atMs: number): void {
  runSql(db, SQL.rise, accountId)
  const row = db.prepare<{ low_balance: Money; balance: Money }, [string]>(SQL.fall).get(accountId)
  if (row === null) return
  const data = { ...amount('balance', row.balance), ...amount('low_balance', row.low_balance) }
  addEvent(db, accountId, 'balance.low', data, atMs)
}

/** Whether any account is told of its money. */
export const hasWebhooks = (db: Database): boolean => db.prepare<{ found: number }, []>(SQL.any).get() !== null

/**
 * After a key's requests, whose holds were opened that day, were charged: the highest share of each budget that is reached in the windows of that
 * day is told, once in each.
 */
export function noticeSpend(db: Database, keyId: string, day: number, atMs: number): void {
  const key = db.prepare<KeyColumns, [string]>(SQL.key).get(keyId)
  if (key === null) return
  const atOfDay = day * DAY_MS
  const days = { total: 0, ...budgetDays(atOfDay) }
  for (const name of BUDGETS) {
    const budget = key[name]
    if (budget === null || budget === 0) continue
    const spent = spentOf(db, keyId, days[name], dayOf(budgetEndMs(name, atOfDay) ?? NEVER_MS))
    const reached = PERCENTS.filter((percent) => BigInt(spent) * 100n >= BigInt(budget) * BigInt(percent))
    const [percent] = reached.filter((one) => runSql(db, SQL.cross, keyId, name, days[name], one, budget) > 0)
    if (percent === undefined) continue
    const data = {
      key_id: keyId,
      key_name: key.name,
      budget: name,
      percent,
      ...amount('spent', spent),
      ...amount('limit', budget),
    }
    addEvent(db, key.account_id, 'budget.reached', data, atMs)
  }
}

/** In the days from the first up to the other. */
const spentOf = (db: Database, keyId: string, ...days: [first: number, end: number]): number =>
  db.prepare<{ spent: Money | null }, [string, number, number]>(SQL.spent).get(keyId, ...days)?.spent ?? 0

/** An event that waits to be sent. */
export function addEvent(
  db: Database,
  accountId: string,
  kind: WebhookEventKind,
  data: Readonly<Record<string, unknown>>,
  atMs: number,
): void {
  runSql(db, SQL.event, accountId, kind, JSON.stringify(data), atMs)
}

const amount = (name: string, nanoDollars: number): Record<string, string | number> => ({
  [`${name}_usd`]: formatUsd(BigInt(nanoDollars)),
  [`${name}_nano`]: nanoDollars,
})
