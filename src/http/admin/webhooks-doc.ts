import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields, pageExample } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'

const webhookFields = {
  account_id: fields.id('acc_'),
  url: Type.String(),
  low_balance_usd: fields.orNull(Type.String(), 'A balance below this is told. In decimal dollars.'),
  low_balance_nano: fields.orNull(Type.Integer(), 'The same in nano-dollars.'),
  updated_at_ms: fields.atMs(),
}
const webhook = Type.Object(webhookFields, { title: 'Webhook' })
const setWebhook = Type.Object(
  {
    ...webhookFields,
    secret: Type.Optional(Type.String({ description: 'What signs, where it is new: shown once, stored encrypted.' })),
  },
  { title: 'SetWebhook' },
)

const event = Type.Object(
  {
    seq: Type.Integer(),
    id: Type.String({ description: 'As its receiver sees it, the same each time it is sent.' }),
    account_id: fields.id('acc_'),
    type: fields.oneOf('balance.low', 'budget.reached', 'test'),
    data: Type.Object({}, { additionalProperties: true, description: 'What it tells.' }),
    created_at_ms: fields.atMs(),
    state: fields.oneOf('waiting', 'delivered', 'dead'),
    tries: Type.Integer({ description: 'How often it was sent.' }),
    next_at_ms: fields.orNull(fields.atMs(), 'When it is sent next; null: not any more.'),
    fault: fields.orNull(Type.String(), 'What went wrong with it last.'),
  },
  { title: 'WebhookEvent' },
)

const WEBHOOK = {
  account_id: examples.accountId,
  url: 'https://hooks.customer.example/anyrouter',
  low_balance_usd: '1.00',
  low_balance_nano: 1_000_000_000,
  updated_at_ms: examples.atMs,
}

const EVENT = {
  seq: 7,
  id: 'evt_0199a0b1c2d3e4f5061728394a5b6c7d',
  account_id: examples.accountId,
  type: 'balance.low',
  data: {
    balance_usd: '0.99',
    balance_nano: 990_000_000,
    low_balance_usd: '1.00',
    low_balance_nano: 1_000_000_000,
  },
  created_at_ms: examples.atMs,
  state: 'delivered',
  tries: 1,
  next_at_ms: null,
  fault: null,
}

const TEST = { ...EVENT, seq: 8, type: 'test', data: {}, state: 'waiting', tries: 0, next_at_ms: examples.atMs }

const common = { tag: 'Webhooks', access: 'management' } as const

/** `/accounts/{account}/webhook` for the document. */
export const webhooksDoc = {
  set: {
    ...common,
    summary: 'Say where an account is told of its money',
    description:
      'When its balance falls below a mark, and when a key has spent 80 % and 100 % of a budget. What is sent is signed (Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`) ' +
      'and sent until it is answered with 2xx, with longer and longer waits. The secret is shown when it is new.',
    once: true,
    requests: {
      Webhook: { url: WEBHOOK.url, low_balance_usd: '1.00' },
      'Another secret': { url: WEBHOOK.url, new_secret: true },
    },
    answer: jsonAnswer(200, 'The webhook.', setWebhook, {
      ...WEBHOOK,
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
    }),
    errors: ['not_found'],
  },
  show: {
    ...common,
    summary: 'Show where an account is told of its money',
    answer: jsonAnswer(200, 'The webhook, without its secret.', webhook, WEBHOOK),
    errors: ['not_found'],
  },
  remove: {
    ...common,
    summary: 'Tell an account nothing any more',
    description: 'What was to be sent still is given up.',
    answer: jsonAnswer(
      200,
      'It is gone.',
      Type.Object({ account_id: fields.id('acc_'), deleted: Type.Boolean() }, { title: 'DeletedWebhook' }),
      { account_id: examples.accountId, deleted: true },
    ),
    errors: ['not_found'],
  },
  test: {
    ...common,
    summary: 'Send a webhook an event that tells nothing',
    once: true,
    answer: jsonAnswer(201, 'The event, which is sent within a second.', event, TEST),
    errors: ['not_found'],
  },
  events: {
    ...common,
    summary: 'List what an account was told, newest first',
    description: 'Of the last thirty days, and what still waits. `dead`: it was given up, after 14 tries.',
    answer: jsonAnswer(200, 'One page.', fields.page(event), pageExample(EVENT)),
    errors: ['invalid_request', 'not_found'],
  },
} satisfies Record<string, OperationDoc>
