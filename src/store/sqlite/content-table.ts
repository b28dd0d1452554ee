import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Prompts and answers, as reads see them. */
export const contentTable = sqliteTable('content', {
  requestId: text('request_id').primaryKey(),
  accountId: text('account_id').notNull(),
  prompt: text('prompt').notNull(),
  answer: text('answer'),
  isCut: integer('is_cut', { mode: 'boolean' }).notNull(),
})
