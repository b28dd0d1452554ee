import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields, pageExample } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { endFields } from './shared-schema.ts'

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

const verified = Type.Object(
  {
    clean: Type.Boolean(),
    faults: Type.Array(Type.String(), { description: 'In words, each naming the row.' }),
    accounts: Type.Integer(),
    entries: Type.Integer(),
    settlements: Type.Integer(),
    open_holds: Type.Integer(),
    balance_sum_usd: Type.String(),
    balance_sum_nano: Type.String({ description: 'A text: the sum may be too large for a number.' }),
  },
  { title: 'Verification' },
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

const VERIFIED = {
  clean: true,
  faults: [],
  accounts: 1,
  entries: 1,
  settlements: 2,
  open_holds: 0,
  balance_sum_usd: '4.9999853',
  balance_sum_nano: '4999985300',
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
  verify: {
    ...common,
    summary: 'Prove that the ledger adds up',
    description: 'Reads every row; the larger the ledger the longer it takes.',
    answer: jsonAnswer(200, 'What was found.', verified, VERIFIED),
  },
} satisfies Record<string, OperationDoc>
