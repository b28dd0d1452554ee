import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields, pageExample } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'

const entry = Type.Object(
  {
    seq: Type.Integer(),
    kind: fields.oneOf('top_up', 'adjustment'),
    account_id: fields.id('acc_'),
    ...fields.amount('amount', 'What the account gained; negative for what it lost.'),
    ...fields.amount('balance_after', 'Its balance after it.'),
    note: fields.orNull(Type.String()),
    actor: Type.String({ description: 'Who did it: `local:<uid>`, or a management key.' }),
    at_ms: fields.atMs(),
  },
  { title: 'Entry' },
)

const EXAMPLE = {
  seq: 2,
  kind: 'top_up',
  account_id: examples.accountId,
  amount_usd: '5.00',
  amount_nano: 5_000_000_000,
  balance_after_usd: '10.00',
  balance_after_nano: 10_000_000_000,
  note: 'invoice 7',
  actor: 'local:1000',
  at_ms: examples.atMs,
}

/** `/credits` for the document. */
export const creditsDoc = {
  create: {
    tag: 'Credits',
    access: 'management',
    summary: 'Move money in or out of an account',
    once: true,
    description: 'A debit never takes more than is available.',
    requests: {
      'Top up': { account: 'demo', usd: '5.00', note: 'invoice 7' },
      Adjustment: { account: 'demo', usd: '-0.25', kind: 'adjustment', note: 'refunded twice' },
    },
    answer: jsonAnswer(201, 'The entry, on disk.', entry, EXAMPLE),
    errors: ['not_found', 'conflict'],
  },
  list: {
    tag: 'Credits',
    access: 'management',
    summary: 'List what moved, newest first',
    description: 'Top-ups and adjustments. What requests cost is in the settlements.',
    answer: jsonAnswer(200, 'One page.', fields.page(entry), pageExample(EXAMPLE)),
    errors: ['invalid_request', 'not_found'],
  },
} satisfies Record<string, OperationDoc>
