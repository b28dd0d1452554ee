import type { Database, SQLQueryBindings } from 'bun:sqlite'
import type { ErrorCode, Money } from '../../domain/index.ts'
import type {
  ChangedWebhook,
  EventTry,
  ResealedWebhook,
  Webhook,
  WebhookEvent,
  WebhookWish,
} from '../webhooks-contract.ts'
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

export type WebhookCommandEnd =
  | { readonly kind: 'done'; readonly answer: WebhookAnswers[keyof WebhookAnswers] }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string }

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

const DAY_MS = 86_400_000
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

/** Does one command inside the caller's transaction. Throws what a constraint refuses: then it changed nothing. */
export function runWebhookCommand(db: Database, command: WebhookCommand): WebhookCommandEnd {
  switch (command.kind) {
    case 'webhook':
      return set(db, command.wish)
    case 'webhook_end': {
      const row = db.prepare<WebhookColumns, [string]>(SQL.remove).get(command.accountId)
      if (row === null) return NONE
      run(db, SQL.orphan, command.accountId)
      return { kind: 'done', answer: webhookOf(row) }
    }
    case 'webhook_test':
      return test(db, command)
    case 'event_tried': {
      const { seq, state, nextAtMs, fault } = command.end
      return { kind: 'done', answer: run(db, SQL.tried, state, nextAtMs, fault, seq) }
    }
    case 'reseal_webhooks': {
      const changes = command.rows.map(({ accountId, from, to }) => run(db, SQL.reseal, to, accountId, from))
      return { kind: 'done', answer: changes.reduce((sum, count) => sum + count, 0) }
    }
    case 'prune_events': {
      run(db, SQL.pruneCrossings, Math.floor(command.beforeMs / DAY_MS) - CROSSING_DAYS)
      return { kind: 'done', answer: run(db, SQL.prune, command.beforeMs) }
    }
  }
}

const webhookOf = (row: WebhookColumns): Webhook => ({
  accountId: row.account_id,
  url: row.url,
  lowBalance: row.low_balance,
  updatedAtMs: row.updated_at_ms,
})

function set(db: Database, { accountId, url, sealed, lowBalance, updatedAtMs }: WebhookWish): WebhookCommandEnd {
  const old = db.prepare<WebhookColumns, [string]>(SQL.one).get(accountId)
  const signs = sealed ?? old?.sealed
  if (signs === undefined) return NONE
  const row = db
    .prepare<WebhookColumns, SQLQueryBindings[]>(SQL.insert)
    .get(accountId, url, signs, lowBalance, updatedAtMs)
  if (row === null) return NONE
  noticeBalance(db, accountId, updatedAtMs)
  return { kind: 'done', answer: { ...webhookOf(row), hasNewSecret: sealed !== null } }
}

function test(db: Database, { accountId, atMs }: Extract<WebhookCommand, { kind: 'webhook_test' }>): WebhookCommandEnd {
  if (db.prepare<WebhookColumns, [string]>(SQL.one).get(accountId) === null) return NONE
  const seq = addEvent(db, accountId, 'test', {}, atMs)
  const row = db.prepare<EventColumns, [number]>(SQL.event).get(seq ?? 0)
  if (row === null) return NONE
  const { account_id, data, created_at_ms: createdAtMs, next_at_ms: nextAtMs, ...rest } = row
  return { kind: 'done', answer: { ...rest, accountId: account_id, data: JSON.parse(data), createdAtMs, nextAtMs } }
}

const NONE: WebhookCommandEnd = { kind: 'refused', code: 'not_found', message: 'The account has no webhook.' }

const run = (db: Database, sql: string, ...values: SQLQueryBindings[]): number =>
  db.prepare<unknown, SQLQueryBindings[]>(sql).run(...values).changes
