import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields, pageExample } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'

const entry = Type.Object(
  {
    seq: Type.Integer(),
    kind: fields.oneOf('top_up', 'adjustment', 'refund', 'promo_grant', 'promo_expiry'),
    account_id: fields.id('acc_'),
    ...fields.amount('amount', 'What the account gained; negative for what it lost.'),
    ...fields.amount('balance_after', 'Its balance after it.'),
    note: fields.orNull(Type.String()),
    actor: Type.String({ description: 'Who did it: `local:<uid>`, or a management key.' }),
    at_ms: fields.atMs(),
    request_id: Type.Optional(Type.String({ description: 'Of a refund: the request that it gives back.' })),
    expires_at_ms: Type.Optional(fields.atMs('Of a grant: when what is left of it ends.')),
    lot: Type.Optional(Type.Integer({ description: 'Of a grant and of its expiry: the number of the grant.' })),
    remaining_usd: Type.Optional(Type.String({ description: 'Of a grant, in a list: what is left of it now.' })),
    remaining_nano: Type.Optional(Type.Integer({ description: 'The same in nano-dollars.' })),
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

const REFUND = {
  ...EXAMPLE,
  seq: 3,
  kind: 'refund',
  amount_usd: '0.00000735',
  amount_nano: 7350,
  note: 'a broken answer',
  request_id: examples.requestId,
}

const GRANT = {
  ...EXAMPLE,
  seq: 4,
  kind: 'promo_grant',
  note: 'welcome',
  expires_at_ms: 4_102_444_800_000,
  lot: 4,
}

const common = { tag: 'Credits', access: 'management' } as const

/** `/credits` for the document. */
export const creditsDoc = {
  create: {
    ...common,
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
  refund: {
    ...common,
    summary: 'Give back what a request was charged',
    once: true,
    description:
      'All of it or a part, as often as something is left. What the request used of grants goes back to them, last; what goes back to a grant that has ended ends again. ' +
      'Budgets of keys count what was charged, refunded or not.',
    requests: {
      'All of it': { request: examples.requestId, note: 'a broken answer' },
      'A part': { request: examples.generationId, usd: '0.000005' },
    },
    answer: jsonAnswer(201, 'The entry, on disk.', entry, REFUND),
    errors: ['not_found', 'conflict'],
  },
  grant: {
    ...common,
    summary: 'Grant credit that ends',
    once: true,
    description:
      'Requests use it before all else, what ends first at first. What a request holds when it ends is kept for that request; the rest leaves the balance within ten seconds. ' +
      "For a minute after a step of the machine's clock nothing ends.",
    requests: { Welcome: { account: 'demo', usd: '5.00', expires_at_ms: GRANT.expires_at_ms, note: 'welcome' } },
    answer: jsonAnswer(201, 'The entry, on disk; `lot` is the number of the grant.', entry, GRANT),
    errors: ['not_found', 'conflict'],
  },
  list: {
    ...common,
    summary: 'List what moved, newest first',
    description:
      'Top-ups, adjustments, refunds, grants and what ended of them. What requests cost is in the settlements.',
    answer: jsonAnswer(
      200,
      'One page.',
      fields.page(entry),
      pageExample({ ...GRANT, remaining_usd: '4.50', remaining_nano: 4_500_000_000 }, REFUND, EXAMPLE),
    ),
    errors: ['invalid_request', 'not_found'],
  },
} satisfies Record<string, OperationDoc>
