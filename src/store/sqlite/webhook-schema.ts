import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { BudgetName } from '../../domain/index.ts'
import type { WebhookEvent } from '../webhooks-contract.ts'
import { amount } from './records-schema.ts'

/** The tables of webhooks as reads see them, compared with the migrations' like those of `schema.ts`. */
export const webhook = sqliteTable('webhook', {
  accountId: text('account_id').primaryKey(),
  url: text('url').notNull(),
  sealed: text('sealed').notNull(),
  lowBalance: amount('low_balance'),
  isLow: integer('is_low', { mode: 'boolean' }).notNull(),
  updatedAtMs: integer('updated_at_ms').notNull(),
})

export const budgetCrossing = sqliteTable(
  'budget_crossing',
  {
    keyId: text('key_id').notNull(),
    budget: text('budget').$type<BudgetName>().notNull(),
    firstDay: integer('first_day').notNull(),
    percent: integer('percent').notNull(),
    amount: amount('amount').notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.budget, table.firstDay, table.percent, table.amount] })],
)

export const webhookEvent = sqliteTable(
  'webhook_event',
  {
    seq: integer('seq').primaryKey(),
    id: text('id').notNull(),
    accountId: text('account_id').notNull(),
    kind: text('kind').$type<WebhookEvent['kind']>().notNull(),
    data: text('data', { mode: 'json' }).$type<Readonly<Record<string, unknown>>>().notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    state: text('state').$type<WebhookEvent['state']>().notNull(),
    tries: integer('tries').notNull(),
    nextAtMs: integer('next_at_ms'),
    fault: text('fault'),
  },
  (table) => [
    index('webhook_event_by_account').on(table.accountId, table.seq),
    index('webhook_event_by_time').on(table.nextAtMs),
    index('webhook_event_by_age').on(table.createdAtMs),
  ],
)
