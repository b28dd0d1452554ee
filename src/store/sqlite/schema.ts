import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type {
  AccountKind,
  ByokFallback,
  CoveredOffer,
  CredentialCause,
  EndReason,
  Scope,
  StoredKind,
  ThrottleCause,
  UsageSource,
} from '../../domain/index.ts'
import type { EntryKind, SettlementRow } from '../contract.ts'
import { amount, units, unitsMore } from './records-schema.ts'

/**
 * The tables of the ledger as reads see them. The migrations make them (STRICT, with their checks, which drizzle cannot express); a test compares
 * the two, column by column.
 */
export const account = sqliteTable('account', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  kind: text('kind').$type<AccountKind>().notNull(),
  disabled: integer('disabled', { mode: 'boolean' }).notNull(),
  balance: amount('balance').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
  version: integer('version').notNull(),
  models: text('models', { mode: 'json' }).$type<readonly string[]>(),
  policy: text('policy', { mode: 'json' }).$type<unknown>(),
  byokFallback: text('byok_fallback').$type<ByokFallback>().notNull(),
  storeContent: integer('store_content', { mode: 'boolean' }).notNull(),
})

export const key = sqliteTable(
  'key',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    name: text('name').notNull(),
    hash: text('hash').notNull(),
    prefix: text('prefix').notNull(),
    models: text('models', { mode: 'json' }).$type<readonly string[]>(),
    createdAtMs: integer('created_at_ms').notNull(),
    revokedAtMs: integer('revoked_at_ms'),
    version: integer('version').notNull(),
    expiresAtMs: integer('expires_at_ms'),
    addresses: text('addresses', { mode: 'json' }).$type<readonly string[]>(),
    budgetTotal: amount('budget_total'),
    budgetDay: amount('budget_day'),
    budgetWeek: amount('budget_week'),
    budgetMonth: amount('budget_month'),
    requestsPerMinute: integer('requests_per_minute'),
    tokensPerMinute: integer('tokens_per_minute'),
    concurrency: integer('concurrency'),
    policy: text('policy', { mode: 'json' }).$type<unknown>(),
    disabled: integer('disabled', { mode: 'boolean' }).notNull(),
  },
  (table) => [index('key_by_account').on(table.accountId, table.name, table.id)],
)

export const hold = sqliteTable('hold', {
  requestId: text('request_id').primaryKey(),
  accountId: text('account_id').notNull(),
  keyId: text('key_id').notNull(),
  epoch: integer('epoch').notNull(),
  openedAtMs: integer('opened_at_ms').notNull(),
  amount: amount('amount').notNull(),
  covers: text('covers', { mode: 'json' }).$type<readonly CoveredOffer[]>().notNull(),
  checkpointOffer: text('checkpoint_offer'),
  checkpointUnits: integer('checkpoint_units'),
})

export const settlement = sqliteTable(
  'settlement',
  {
    seq: integer('seq').primaryKey(),
    requestId: text('request_id').notNull(),
    accountId: text('account_id').notNull(),
    keyId: text('key_id').notNull(),
    ending: text('ending').$type<SettlementRow['end']>().notNull(),
    reason: text('reason').$type<EndReason>().notNull(),
    unitsInput: units().unitsInput.notNull(),
    unitsCachedInput: units().unitsCachedInput.notNull(),
    unitsCacheWrite: units().unitsCacheWrite.notNull(),
    unitsOutput: units().unitsOutput.notNull(),
    unitsReasoning: units().unitsReasoning.notNull(),
    usageSource: text('usage_source').$type<UsageSource>(),
    offer: text('offer'),
    backend: text('backend'),
    prices: text('prices', { mode: 'json' }).$type<Omit<CoveredOffer, 'offer' | 'backend'>>(),
    cost: amount('cost').notNull(),
    charged: amount('charged').notNull(),
    overrun: amount('overrun').notNull(),
    expense: amount('expense').notNull(),
    held: amount('held').notNull(),
    endedAtMs: integer('ended_at_ms').notNull(),
    heldAtMs: integer('held_at_ms'),
    unitsMore: unitsMore(),
  },
  (table) => [index('settlement_by_account').on(table.accountId, table.seq)],
)

export const keySpend = sqliteTable(
  'key_spend',
  {
    keyId: text('key_id').notNull(),
    day: integer('day').notNull(),
    charged: amount('charged').notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.day] })],
)

export const keyWindow = sqliteTable(
  'key_window',
  {
    keyId: text('key_id').notNull(),
    firstAtMs: integer('first_at_ms').notNull(),
    lastAtMs: integer('last_at_ms').notNull(),
    requests: integer('requests').notNull(),
    tokens: integer('tokens').notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.firstAtMs] })],
)

export const entry = sqliteTable(
  'entry',
  {
    seq: integer('seq').primaryKey(),
    kind: text('kind').$type<EntryKind>().notNull(),
    accountId: text('account_id').notNull(),
    amount: amount('amount').notNull(),
    note: text('note'),
    actor: text('actor').notNull(),
    atMs: integer('at_ms').notNull(),
    balanceAfter: amount('balance_after').notNull(),
    requestId: text('request_id'),
    expiresAtMs: integer('expires_at_ms'),
    lot: integer('lot'),
  },
  (table) => [index('entry_by_account').on(table.accountId, table.seq), index('entry_by_request').on(table.requestId)],
)

export const promoLot = sqliteTable(
  'promo_lot',
  {
    seq: integer('seq').primaryKey(),
    accountId: text('account_id').notNull(),
    amount: amount('amount').notNull(),
    remaining: amount('remaining').notNull(),
    expiresAtMs: integer('expires_at_ms').notNull(),
  },
  (table) => [
    index('promo_lot_by_account').on(table.accountId, table.expiresAtMs, table.seq),
    index('promo_lot_by_end').on(table.expiresAtMs, table.seq),
  ],
)

export const lotPosting = sqliteTable(
  'lot_posting',
  {
    seq: integer('seq').primaryKey(),
    lot: integer('lot').notNull(),
    amount: amount('amount').notNull(),
    requestId: text('request_id'),
    entry: integer('entry'),
  },
  (table) => [index('lot_posting_by_lot').on(table.lot), index('lot_posting_by_request').on(table.requestId)],
)

export const quarantine = sqliteTable('quarantine', {
  backend: text('backend').primaryKey(),
  version: integer('version').notNull(),
  operatorBy: text('operator_by'),
  operatorReason: text('operator_reason'),
  operatorSinceMs: integer('operator_since_ms'),
  operatorUntilMs: integer('operator_until_ms'),
  failuresSinceMs: integer('failures_since_ms'),
  failuresUntilMs: integer('failures_until_ms'),
  failuresBackoffMs: integer('failures_backoff_ms'),
  failuresCount: integer('failures_count'),
  failuresStreak: integer('failures_streak'),
  failuresLastStatus: integer('failures_last_status'),
  failuresEvidence: text('failures_evidence'),
  throttleSinceMs: integer('throttle_since_ms'),
  throttleUntilMs: integer('throttle_until_ms'),
  throttleBackoffMs: integer('throttle_backoff_ms'),
  throttleSource: text('throttle_source').$type<ThrottleCause['source']>(),
  throttleEvidence: text('throttle_evidence'),
  credentials: text('credentials', { mode: 'json' }).$type<readonly CredentialCause[]>(),
})

export const ownCredential = sqliteTable('own_credential', {
  id: text('id').primaryKey(),
  accountId: text('account_id').notNull(),
  provider: text('provider').notNull(),
  name: text('name').notNull(),
  sealed: text('sealed').notNull(),
  hint: text('hint').notNull(),
  enabled: integer('enabled', { mode: 'boolean' }).notNull(),
  version: integer('version').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
  updatedAtMs: integer('updated_at_ms').notNull(),
  faultCause: text('fault_cause'),
  faultReason: text('fault_reason'),
  faultSinceMs: integer('fault_since_ms'),
  faultUntilMs: integer('fault_until_ms'),
  baseUrl: text('base_url'),
})

export const stored = sqliteTable(
  'stored',
  {
    accountId: text('account_id').notNull(),
    id: text('id').notNull(),
    kind: text('kind').$type<StoredKind>().notNull(),
    backend: text('backend').notNull(),
    credential: text('credential'),
    isOwn: integer('is_own', { mode: 'boolean' }).notNull(),
    model: text('model'),
    told: text('told', { mode: 'json' }).$type<Readonly<Record<string, unknown>>>(),
    createdAtMs: integer('created_at_ms').notNull(),
    untilMs: integer('until_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.id] }),
    index('stored_by_age').on(table.accountId, table.kind, table.createdAtMs, table.id),
    index('stored_by_end').on(table.untilMs),
  ],
)

export const managementKey = sqliteTable('management_key', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  hash: text('hash').notNull(),
  prefix: text('prefix').notNull(),
  scopes: text('scopes', { mode: 'json' }).$type<readonly Scope[]>().notNull(),
  version: integer('version').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
  expiresAtMs: integer('expires_at_ms'),
  revokedAtMs: integer('revoked_at_ms'),
})

export const audit = sqliteTable(
  'audit',
  {
    seq: integer('seq').primaryKey(),
    atMs: integer('at_ms').notNull(),
    actor: text('actor').notNull(),
    action: text('action').notNull(),
    subject: text('subject').notNull(),
    details: text('details', { mode: 'json' }).$type<Readonly<Record<string, unknown>>>().notNull(),
  },
  (table) => [
    index('audit_by_subject').on(table.subject, table.seq),
    index('audit_by_action').on(table.action, table.seq),
  ],
)

export const idempotency = sqliteTable(
  'idempotency',
  {
    actor: text('actor').notNull(),
    idempotencyKey: text('idempotency_key').notNull(),
    requestHash: text('request_hash').notNull(),
    answer: text('answer', { mode: 'json' }).$type<unknown>().notNull(),
    sealed: text('sealed'),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.actor, table.idempotencyKey] }), index('idempotency_by_age').on(table.atMs)],
)
