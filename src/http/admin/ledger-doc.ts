import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields, pageExample } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { endFields } from './shared-schema.ts'
import { VERIFIED, verified } from './verified.ts'

const settlement = Type.Object(
  {
    seq: Type.Integer(),
    request_id: fields.id('req_'),
    account_id: fields.id('acc_'),
    key_id: fields.id('key_'),
    ...endFields,
    offer: fields.orNull(Type.String()),
    backend: fields.orNull(Type.String()),
    ...fields.amount('cost', 'Usage × price.'),
    ...fields.amount('charged', 'What the account paid.'),
    ...fields.amount('overrun', 'Cost − charged: lost by the operator.'),
    ...fields.amount('expense', "Usage × the provider's price to the operator."),
    ...fields.amount('held', 'What was set aside before.'),
    ended_at_ms: fields.atMs(),
  },
  { title: 'Settlement' },
)

const hold = Type.Object(
  {
    request_id: fields.id('req_'),
    account_id: fields.id('acc_'),
    key_id: fields.id('key_'),
    opened_at_ms: fields.atMs(),
    ...fields.amount('amount', 'What is set aside.'),
    offers: Type.Array(Type.String(), { description: 'Those it pays for.' }),
  },
  { title: 'Hold' },
)

const posting = Type.Object(
  {
    source: Type.Union([Type.Literal('entry'), Type.Literal('settlement')]),
    seq: Type.Integer({ description: 'Of the entry or the settlement.' }),
    kind: Type.String({ description: 'Of an entry its kind, else `settlement`.' }),
    at_ms: fields.atMs(),
    side: Type.String({ description: '`account`, or where the money came from or went to: `revenue`, `funding`, …' }),
    account_id: fields.id('acc_'),
    key_id: fields.orNull(Type.String()),
    request_id: fields.orNull(Type.String()),
    ...fields.amount('amount', 'What this side gains.'),
    note: fields.orNull(Type.String()),
  },
  { title: 'Posting' },
)

const { accountId, keyId, requestId, atMs } = examples
const ids = { request_id: requestId, account_id: accountId, key_id: keyId }

const SETTLEMENT = {
  seq: 7,
  ...ids,
  end: 'settled',
  reason: 'completed',
  usage: examples.usage,
  usage_source: 'reported',
  offer: examples.offer,
  backend: 'north',
  ...examples.cost,
  ...examples.charged,
  overrun_usd: '0.00',
  overrun_nano: 0,
  expense_usd: '0.00',
  expense_nano: 0,
  ...examples.held,
  ended_at_ms: atMs,
}

const HOLD = { ...ids, opened_at_ms: atMs, amount_usd: '0.00245805', amount_nano: 2_458_050, offers: [examples.offer] }

const POSTING = {
  source: 'settlement',
  seq: 7,
  kind: 'settlement',
  at_ms: atMs,
  side: 'account',
  account_id: accountId,
  key_id: keyId,
  request_id: requestId,
  amount_usd: '-0.0000147',
  amount_nano: -14_700,
  note: null,
}

const common = { tag: 'Ledger', access: 'management' } as const

/** `/ledger` for the document. */
export const ledgerDoc = {
  settlements: {
    ...common,
    summary: 'List settlements, newest first',
    answer: jsonAnswer(200, 'One page.', fields.page(settlement), pageExample(SETTLEMENT)),
    errors: ['invalid_request', 'not_found'],
  },
  holds: {
    ...common,
    summary: 'List open holds',
    description: 'Money of requests that run now.',
    answer: jsonAnswer(200, 'All of them.', fields.page(hold), pageExample(HOLD)),
    errors: ['not_found'],
  },
  postings: {
    ...common,
    summary: 'List every posting, oldest first',
    description:
      'Each side of each entry and settlement that is not zero, up to what there was when the first page was asked for. The sides of each sum to zero; those named `account` sum to the balance of their account.',
    answer: jsonAnswer(
      200,
      'Those of up to 1,000 entries and settlements.',
      fields.page(posting),
      pageExample(POSTING),
    ),
    errors: ['invalid_request'],
  },
  verify: {
    ...common,
    summary: 'Prove that the ledger adds up',
    description: 'Reads every row; the larger the ledger the longer it takes.',
    answer: jsonAnswer(200, 'What was found.', verified, VERIFIED),
  },
} satisfies Record<string, OperationDoc>
