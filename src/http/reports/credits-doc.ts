import { Type } from '@sinclair/typebox'
import { fields } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'

const credits = Type.Object(
  {
    data: Type.Object({
      total_credits: fields.dollars(
        'All that came in, grants too, less what was taken out again and what ended of grants.',
      ),
      total_usage: fields.dollars('What requests were charged, less refunds.'),
    }),
    balance: fields.dollars('What is left: `total_credits` − `total_usage`.'),
    monthly_balance: fields.dollars('Of it, what is left of grants that end.'),
    topup_balance: fields.dollars('Of it, all the rest: what was paid in.'),
    used: fields.dollars('As `total_usage`.'),
    today_cost: fields.dollars('Charged for requests that began today (UTC).'),
    currency: Type.Literal('usd'),
  },
  { title: 'Credits' },
)

/** `/credits` for the document. */
export const creditsDoc: OperationDoc = {
  tag: 'Credits',
  access: 'key',
  summary: 'Tell what the account has',
  description:
    "OpenRouter's form under `data`, AnyRouter's beside it. A key is told of its own account; a management key of all accounts together, or of one.",
  answer: jsonAnswer(200, 'The figures of one moment.', credits, {
    data: { total_credits: 5, total_usage: 0.00000735 },
    balance: 4.99999265,
    monthly_balance: 1,
    topup_balance: 3.99999265,
    used: 0.00000735,
    today_cost: 0.00000735,
    currency: 'usd',
  }),
  errors: ['insufficient_scope', 'not_found'],
}
