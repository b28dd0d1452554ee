import type { Database } from 'bun:sqlite'
import { and, asc, desc, eq, gt, lt, lte, min, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { Page } from '../page.ts'
import type { DueEvent, SealedWebhook, WebhookEvent } from '../webhooks-contract.ts'
import { pageSize } from './page-size.ts'
import { webhook, webhookEvent } from './webhook-schema.ts'

/** Reads of webhooks and their events. */
export function webhookQueries(connection: Database) {
  const db = drizzle(connection)
  return {
    webhook(accountId: string): SealedWebhook | null {
      const row = db.select().from(webhook).where(eq(webhook.accountId, accountId)).limit(1).all()[0]
      return row === undefined ? null : webhookRow(row)
    },
    webhooks(page: Page): SealedWebhook[] {
      const after = page.after === null ? undefined : gt(webhook.accountId, page.after)
      const rows = db.select().from(webhook).where(after).orderBy(asc(webhook.accountId)).limit(pageSize(page)).all()
      return rows.map(webhookRow)
    },
    eventsDue(nowMs: number, eventsMax: number): DueEvent[] {
      // Written out, not bound: the index has these rows alone.
      const waiting = sql`${webhookEvent.state} = 'waiting'`
      // SQLite takes the other columns from the row that has the smallest.
      const first = min(webhookEvent.nextAtMs)
      const rows = db
        .select({ event: webhookEvent, url: webhook.url, sealed: webhook.sealed, first })
        .from(webhookEvent)
        .innerJoin(webhook, eq(webhook.accountId, webhookEvent.accountId))
        .where(and(waiting, lte(webhookEvent.nextAtMs, nowMs)))
        .groupBy(sql`+${webhookEvent.accountId}`) // the sign keeps it from reading all events by account
        .orderBy(asc(first))
        .limit(eventsMax)
        .all()
      return rows.map(({ event, url, sealed }) => ({ ...event, url, sealed }))
    },
    /** Newest first; the cursor is a `seq`. */
    events(accountId: string, page: Page): WebhookEvent[] {
      const before = page.after === null ? undefined : lt(webhookEvent.seq, Number(page.after))
      const where = and(eq(webhookEvent.accountId, accountId), before)
      return db.select().from(webhookEvent).where(where).orderBy(desc(webhookEvent.seq)).limit(pageSize(page)).all()
    },
  }
}

const webhookRow = ({ isLow: _, ...row }: typeof webhook.$inferSelect): SealedWebhook => row
