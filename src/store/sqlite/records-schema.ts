import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type {
  AttemptRecord,
  EndReason,
  FurtherUnits,
  Money,
  Skip,
  Stickiness,
  UsageSource,
} from '../../domain/index.ts'
import type { ClientFacts, SettlementRow, TimingSplit } from '../contract.ts'

// The tables of the records, and columns that the ledger's have too: see schema.ts.

/** In nano-dollars. */
export const amount = (name: string) => integer(name).$type<Money>()

/** Made anew for each table: `notNull` changes a column in place. */
export const units = () => ({
  unitsInput: integer('units_input'),
  unitsCachedInput: integer('units_cached_input'),
  unitsCacheWrite: integer('units_cache_write'),
  unitsOutput: integer('units_output'),
  unitsReasoning: integer('units_reasoning'),
})

/** Kinds that few requests have. */
export const unitsMore = () => text('units_more', { mode: 'json' }).$type<FurtherUnits>()

export const request = sqliteTable('request', {
  requestId: text('request_id').primaryKey(),
  generationId: text('generation_id'),
  clientRequestId: text('client_request_id'),
  accountId: text('account_id'),
  keyId: text('key_id'),
  operation: text('operation'),
  modelAsked: text('model_asked'),
  model: text('model'),
  backend: text('backend'),
  stream: integer('stream', { mode: 'boolean' }),
  status: integer('status'),
  errorCode: text('error_code'),
  startedAtMs: integer('started_at_ms'),
  gwUs: integer('gw_us'),
  stages: text('stages', { mode: 'json' }).$type<TimingSplit['stages']>(),
  upstreamUs: integer('upstream_us'),
  postUs: integer('post_us'),
  postHoldUs: integer('post_hold_us'),
  totalUs: integer('total_us'),
  endedUs: integer('ended_us'),
  skips: text('skips', { mode: 'json' }).$type<readonly Skip[]>(),
  settlementSeq: integer('settlement_seq'),
  ending: text('ending').$type<SettlementRow['end']>(),
  reason: text('reason').$type<EndReason>(),
  ...units(),
  usageSource: text('usage_source').$type<UsageSource>(),
  cost: amount('cost'),
  charged: amount('charged'),
  held: amount('held'),
  unitsMore: unitsMore(),
  stickiness: text('stickiness', { mode: 'json' }).$type<Stickiness>(),
  owner: text('owner').$type<'operator' | 'account'>(),
  finishReason: text('finish_reason'),
  client: text('client', { mode: 'json' }).$type<ClientFacts>(),
  router: text('router'),
})

export const attempt = sqliteTable(
  'attempt',
  {
    requestId: text('request_id').notNull(),
    number: integer('number').notNull(),
    offer: text('offer').notNull(),
    backend: text('backend').notNull(),
    credential: text('credential'),
    outcome: text('outcome').$type<AttemptRecord['outcome']>().notNull(),
    reason: text('reason'),
    status: integer('status'),
    startedUs: integer('started_us').notNull(),
    endedUs: integer('ended_us').notNull(),
    dnsUs: integer('dns_us'),
    connectUs: integer('connect_us'),
    tlsUs: integer('tls_us'),
    writeUs: integer('write_us'),
    firstByteUs: integer('first_byte_us'),
    connection: text('connection').$type<AttemptRecord['timing']['connection']>().notNull(),
    connectionAgeMs: integer('connection_age_ms'),
    absorbed: integer('absorbed', { mode: 'boolean' }).notNull(),
    possibleCost: amount('possible_cost'),
    providerRequestId: text('provider_request_id'),
  },
  (table) => [primaryKey({ columns: [table.requestId, table.number] })],
)

/** Prompts and answers, as reads see them. */
export const content = sqliteTable('content', {
  requestId: text('request_id').primaryKey(),
  accountId: text('account_id').notNull(),
  prompt: text('prompt').notNull(),
  answer: text('answer'),
  isCut: integer('is_cut', { mode: 'boolean' }).notNull(),
})
