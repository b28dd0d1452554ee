import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { dayOf, type Money } from '../../domain/index.ts'
import type {
  ChangedWebhook,
  EventTry,
  ResealedWebhook,
  Webhook,
  WebhookEvent,
  WebhookWish,
} from '../webhooks-contract.ts'
import { type CommandEnd, done, type Runners, refused } from './command-end.ts'
import { addEvent, noticeBalance } from './notices.ts'

/** The commands of `WebhookWrites`, as they cross to the writer thread. */
export type WebhookCommand =
  | { readonly kind: 'webhook'; readonly wish: WebhookWish }
  | { readonly kind: 'webhook_end'; readonly accountId: string }
  | { readonly kind: 'webhook_test'; readonly accountId: string; readonly atMs: number }
  | { readonly kind: 'event_tried'; readonly end: EventTry }
  | { readonly kind: 'reseal_webhooks'; readonly rows: readonly ResealedWebhook[] }
  | { readonly kind: 'prune_events'; readonly beforeMs: number }

/** What each of them answers when it was done. */
export interface WebhookAnswers {
  readonly webhook: ChangedWebhook
  readonly webhook_end: Webhook
  readonly webhook_test: WebhookEvent
  readonly event_tried: number
  readonly reseal_webhooks: number
  readonly prune_events: number
}

const SQL = {
  insert: `INSERT INTO webhook (account_id, url, sealed, low_balance, updated_at_ms) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (account_id) DO UPDATE SET url = excluded.url, sealed = excluded.sealed, low_balance = excluded.low_balance,
    is_low = is_low AND low_balance IS excluded.low_balance, updated_at_ms = excluded.updated_at_ms RETURNING *`,
  one: `SELECT * FROM webhook WHERE account_id = ?`,
  remove: `DELETE FROM webhook WHERE account_id = ? RETURNING *`,
  orphan: `UPDATE webhook_event SET state = 'dead', next_at_ms = NULL, fault = 'the webhook was removed' WHERE account_id = ? AND state = 'waiting'`,
  event: `SELECT * FROM webhook_event WHERE seq = ?`,
  // One that was given up meanwhile stays so.
  tried: `UPDATE webhook_event SET tries = tries + 1, state = ?, next_at_ms = ?, fault = ? WHERE seq = ? AND state = 'waiting'`,
  reseal: `UPDATE webhook SET sealed = ? WHERE account_id = ? AND sealed = ?`,
  prune: `DELETE FROM webhook_event WHERE seq IN (SELECT seq FROM webhook_event WHERE state <> 'waiting' AND created_at_ms < ? LIMIT 500)`,
  pruneCrossings: `DELETE FROM budget_crossing WHERE budget <> 'total' AND first_day < ?`,
}

const CROSSING_DAYS = 40 // longer than any window but the total

interface WebhookColumns {
  readonly account_id: string
  readonly url: string
  readonly sealed: string
  readonly low_balance: Money | null
  readonly updated_at_ms: number
}

interface EventColumns {
  readonly seq: number
  readonly id: string
  readonly account_id: string
  readonly kind: WebhookEvent['kind']
  readonly data: string
  readonly created_at_ms: number
  readonly state: WebhookEvent['state']
  readonly tries: number
  readonly next_at_ms: number | null
  readonly fault: string | null
}

export const WEBHOOK_RUNNERS: Runners<WebhookCommand, WebhookAnswers> = {
  webhook: (db, { wish }) => set(db, wish),
  webhook_end(db, { accountId }) {
    const row = db.prepare<WebhookColumns, [string]>(SQL.remove).get(accountId)
    if (row === null) return NONE
    run(db, SQL.orphan, accountId)
    return done(webhookOf(row))
  },
  webhook_test: (db, { accountId, atMs }) => test(db, accountId, atMs),
  event_tried: (db, { end: { seq, state, nextAtMs, fault } }) => done(run(db, SQL.tried, state, nextAtMs, fault, seq)),
  reseal_webhooks: (db, { rows }) =>
    done(rows.reduce((count, { accountId, from, to }) => count + run(db, SQL.reseal, to, accountId, from), 0)),
  prune_events(db, { beforeMs }) {
    run(db, SQL.pruneCrossings, dayOf(beforeMs) - CROSSING_DAYS)
    return done(run(db, SQL.prune, beforeMs))
  },
}

const webhookOf = (row: WebhookColumns): Webhook => ({
  accountId: row.account_id,
  url: row.url,
  lowBalance: row.low_balance,
  updatedAtMs: row.updated_at_ms,
})

function set(
  db: Database,
  { accountId, url, sealed, lowBalance, updatedAtMs }: WebhookWish,
): CommandEnd<ChangedWebhook> {
  const old = db.prepare<WebhookColumns, [string]>(SQL.one).get(accountId)
  const signs = sealed ?? old?.sealed
  if (signs === undefined) return NONE
  const row = db
    .prepare<WebhookColumns, SQLQueryBindings[]>(SQL.insert)
    .get(accountId, url, signs, lowBalance, updatedAtMs)
  if (row === null) return NONE
  noticeBalance(db, accountId, updatedAtMs)
  return done({ ...webhookOf(row), hasNewSecret: sealed !== null })
}

function test(db: Database, accountId: string, atMs: number): CommandEnd<WebhookEvent> {
  if (db.prepare<WebhookColumns, [string]>(SQL.one).get(accountId) === null) return NONE
  const seq = addEvent(db, accountId, 'test', {}, atMs)
  const row = db.prepare<EventColumns, [number]>(SQL.event).get(seq ?? 0)
  if (row === null) return NONE
  const { account_id, data, created_at_ms: createdAtMs, next_at_ms: nextAtMs, ...rest } = row
  return done({ ...rest, accountId: account_id, data: JSON.parse(data), createdAtMs, nextAtMs })
}

const NONE = refused('not_found', 'The account has no webhook.')

const run = (db: Database, sql: string, ...values: SQLQueryBindings[]): number =>
  db.prepare<unknown, SQLQueryBindings[]>(sql).run(...values).changes
