import type { Database } from 'bun:sqlite'
import { dayOf } from '../../domain/index.ts'
import { assert } from '../../lib/index.ts'
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
import { runSql } from './run-sql.ts'
import { webhookQueries } from './webhook-queries.ts'

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
  set: `INSERT INTO webhook (account_id, url, sealed, low_balance, updated_at_ms) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (account_id) DO UPDATE SET url = excluded.url, sealed = excluded.sealed, low_balance = excluded.low_balance,
    is_low = is_low AND low_balance IS excluded.low_balance, updated_at_ms = excluded.updated_at_ms`,
  remove: `DELETE FROM webhook WHERE account_id = ?`,
  orphan: `UPDATE webhook_event SET state = 'dead', next_at_ms = NULL, fault = 'the webhook was removed' WHERE account_id = ? AND state = 'waiting'`,
  // One that was given up meanwhile stays so.
  tried: `UPDATE webhook_event SET tries = tries + 1, state = ?, next_at_ms = ?, fault = ? WHERE seq = ? AND state = 'waiting'`,
  reseal: `UPDATE webhook SET sealed = ? WHERE account_id = ? AND sealed = ?`,
  prune: `DELETE FROM webhook_event WHERE seq IN (SELECT seq FROM webhook_event WHERE state <> 'waiting' AND created_at_ms < ? LIMIT 500)`,
  pruneCrossings: `DELETE FROM budget_crossing WHERE budget <> 'total' AND first_day < ?`,
}

const CROSSING_DAYS = 40 // longer than any window but the total

export const WEBHOOK_RUNNERS: Runners<WebhookCommand, WebhookAnswers> = {
  webhook: (db, { wish }) => set(db, wish),
  webhook_end(db, { accountId }) {
    const old = webhookQueries(db).webhook(accountId)
    if (old === null) return NONE
    runSql(db, SQL.remove, accountId)
    runSql(db, SQL.orphan, accountId)
    const { sealed: _, ...webhook } = old
    return done(webhook)
  },
  webhook_test: (db, { accountId, atMs }) => test(db, accountId, atMs),
  event_tried: (db, { end: { seq, state, nextAtMs, fault } }) =>
    done(runSql(db, SQL.tried, state, nextAtMs, fault, seq)),
  reseal_webhooks: (db, { rows }) =>
    done(rows.reduce((count, { accountId, from, to }) => count + runSql(db, SQL.reseal, to, accountId, from), 0)),
  prune_events(db, { beforeMs }) {
    runSql(db, SQL.pruneCrossings, dayOf(beforeMs) - CROSSING_DAYS)
    return done(runSql(db, SQL.prune, beforeMs))
  },
}

function set(db: Database, { sealed, ...webhook }: WebhookWish): CommandEnd<ChangedWebhook> {
  const { accountId, url, lowBalance, updatedAtMs } = webhook
  const signs = sealed ?? webhookQueries(db).webhook(accountId)?.sealed
  if (signs === undefined) return NONE
  runSql(db, SQL.set, accountId, url, signs, lowBalance, updatedAtMs)
  noticeBalance(db, accountId, updatedAtMs)
  return done({ ...webhook, hasNewSecret: sealed !== null })
}

function test(db: Database, accountId: string, atMs: number): CommandEnd<WebhookEvent> {
  const { webhook, events } = webhookQueries(db)
  if (webhook(accountId) === null) return NONE
  addEvent(db, accountId, 'test', {}, atMs)
  const [event] = events(accountId, { limit: 1, after: null })
  assert(event !== undefined, 'the event was just written')
  return done(event)
}

const NONE = refused('not_found', 'The account has no webhook.')
