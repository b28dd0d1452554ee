import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields, pageExample } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'
import { endFields, skipSchema } from './shared-schema.ts'

const microseconds = fields.orNull(Type.Integer(), 'Microseconds; null for what did not happen.')

const attempt = Type.Object(
  {
    number: Type.Integer(),
    offer: Type.String(),
    backend: Type.String(),
    credential: fields.orNull(Type.String(), 'Its id.'),
    outcome: fields.oneOf(
      'succeeded',
      'refused',
      'too_long',
      'throttled',
      'denied',
      'unsent',
      'failed',
      'broken',
      'cancelled',
    ),
    reason: fields.orNull(Type.String()),
    status: fields.orNull(Type.Integer(), "The provider's."),
    started_us: Type.Integer({ description: 'Since the request came.' }),
    ended_us: Type.Integer(),
    timing: Type.Object({
      dns_us: microseconds,
      connect_us: microseconds,
      tls_us: microseconds,
      write_us: microseconds,
      first_byte_us: microseconds,
      connection: fields.oneOf('new', 'kept', 'resent', 'unsent'),
      connection_age_ms: fields.orNull(Type.Integer()),
    }),
    provider_request_id: Type.Optional(Type.String({ description: "The provider's own id of the request." })),
    absorbed: Type.Boolean({ description: 'It may have been executed without serving the caller.' }),
    possible_cost_nano: Type.Optional(
      Type.Integer({ description: 'What the provider may bill for one that was absorbed, in nano-dollars.' }),
    ),
    possible_cost_usd: Type.Optional(Type.String({ description: 'The same in dollars.' })),
  },
  { title: 'Attempt' },
)

const timing = Type.Object(
  {
    gw_us: Type.Integer({ description: 'The gateway.' }),
    upstream_us: Type.Integer({ description: 'The provider.' }),
    post_us: Type.Integer({ description: 'The rest: gw + upstream + post = total.' }),
    post_hold_us: Type.Integer({ description: 'Of `post`, the wait for the disk.' }),
    total_us: Type.Integer({ description: 'Until the answer began.' }),
    ended_us: Type.Integer({ description: 'Until it ended.' }),
    stages: Type.Record(Type.String(), Type.Integer(), { description: 'They sum to `gw_us`.' }),
  },
  { title: 'Timing' },
)

const settlement = Type.Object({
  ...endFields,
  owner: fields.orNull(
    fields.oneOf('operator', 'account'),
    'Whose credential the backend was shown; null: nobody served.',
  ),
  ...fields.amount('cost', 'Usage × price.'),
  ...fields.amount('charged', 'What the account paid.'),
  ...fields.amount('held', 'What was set aside before.'),
})

const stickiness = Type.Object(
  {
    kind: fields.oneOf('new', 'kept', 'away', 'moved'),
    from: Type.Optional(Type.String({ description: 'The backend it stayed with before.' })),
    rule: Type.Optional(Type.String()),
    reason: Type.Optional(Type.String({ description: 'Why not with that one.' })),
  },
  {
    title: 'Stickiness',
    description: 'What became of its session, where it has one: `away` is for this request alone.',
  },
)

const text = Type.Optional(Type.String())
const client = Type.Object(
  { user_agent: text, referer: text, title: text, session: text },
  { title: 'Client', description: 'What the caller says of itself; nothing of it is kept where nothing may be.' },
)

const record = Type.Object(
  {
    request_id: fields.id('req_'),
    generation_id: fields.id('gen-'),
    client_request_id: fields.orNull(Type.String(), "The caller's own `x-request-id`."),
    account_id: fields.orNull(fields.id('acc_')),
    key_id: fields.orNull(fields.id('key_')),
    operation: Type.String(),
    model_asked: fields.orNull(Type.String()),
    model: fields.orNull(Type.String()),
    backend: fields.orNull(Type.String(), 'The one that served it.'),
    stream: Type.Boolean(),
    status: Type.Integer({ description: '499: the caller left before the answer.' }),
    error_code: fields.orNull(Type.String()),
    started_at_ms: fields.atMs(),
    timing,
    skips: Type.Array(skipSchema),
    attempts: Type.Array(attempt),
    router: Type.Optional(Type.String({ description: 'The router model that was asked for.' })),
    stickiness: Type.Optional(stickiness),
    finish_reason: Type.Optional(Type.String({ description: "Why the answer ended, in the provider's word." })),
    client: Type.Optional(client),
    settlement: fields.orNull(settlement, 'Null where nothing was held.'),
  },
  { title: 'Record' },
)

const RECORD = {
  request_id: examples.requestId,
  generation_id: examples.generationId,
  client_request_id: null,
  account_id: examples.accountId,
  key_id: examples.keyId,
  operation: 'chat.completions',
  model_asked: SAMPLE_MODEL,
  model: SAMPLE_MODEL,
  backend: 'north',
  stream: false,
  status: 200,
  error_code: null,
  started_at_ms: examples.atMs,
  timing: {
    gw_us: 250,
    upstream_us: 21_370,
    post_us: 120,
    post_hold_us: 0,
    total_us: 21_740,
    ended_us: 21_760,
    stages: { recv_us: 50, auth_us: 30, ctx_us: 20, prep_us: 60, route_us: 50, hold_us: 40, wait_us: 0 },
  },
  skips: [],
  attempts: [
    {
      number: 1,
      offer: examples.offer,
      backend: 'north',
      credential: 'demo',
      outcome: 'succeeded',
      reason: null,
      status: 200,
      started_us: 250,
      ended_us: 21_700,
      timing: {
        dns_us: null,
        connect_us: null,
        tls_us: null,
        write_us: 30,
        first_byte_us: 21_100,
        connection: 'kept',
        connection_age_ms: 1200,
      },
      absorbed: false,
    },
  ],
  settlement: {
    end: 'settled',
    reason: 'completed',
    usage: examples.usage,
    usage_source: 'reported',
    owner: 'operator',
    ...examples.cost,
    ...examples.charged,
    ...examples.held,
  },
}

const common = { tag: 'Records', access: 'management' } as const

/** `/records` for the document. */
export const recordsDoc = {
  list: {
    ...common,
    summary: 'List requests, newest first',
    answer: jsonAnswer(200, 'One page.', fields.page(record), pageExample(RECORD)),
    errors: ['invalid_request'],
  },
  show: {
    ...common,
    summary: 'Show one request',
    description: 'With every attempt, where its time went, and what it cost. No bodies, no secrets.',
    answer: jsonAnswer(200, 'The record.', record, RECORD),
    errors: ['not_found'],
  },
} satisfies Record<string, OperationDoc>
