import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { usageSchema } from './shared-schema.ts'

const optional = Type.Optional(Type.String())
const orNull = Type.Optional(fields.orNull(Type.String()))
const nano = Type.String({ description: 'The same in nano-dollars, as a text: a sum may be too large for a number.' })

const row = Type.Object(
  {
    account_id: optional,
    account_name: orNull,
    key_id: optional,
    key_name: orNull,
    model: orNull,
    backend: orNull,
    owner: Type.Optional(
      fields.orNull(
        fields.oneOf('operator', 'account'),
        'Whose credential the backend was shown; null: nobody served.',
      ),
    ),
    day: Type.Optional(Type.String({ description: 'In UTC.' })),
    requests: Type.Integer({ description: 'Settled and voided.' }),
    voided: Type.Integer(),
    units: usageSchema,
    cost_usd: Type.String({ description: 'Usage × price.' }),
    cost_nano: nano,
    charged_usd: Type.String({ description: 'What accounts paid.' }),
    charged_nano: nano,
    overrun_usd: Type.Optional(
      Type.String({ description: 'What accounts could not pay: the loss of the operator; with `cost=1`.' }),
    ),
    overrun_nano: Type.Optional(nano),
    expense_usd: Type.Optional(Type.String({ description: 'What the providers bill; with `cost=1`.' })),
    expense_nano: Type.Optional(nano),
    absorbed_usd: Type.Optional(
      Type.String({
        description:
          'What the providers may bill besides, for attempts that did not serve; as far as the records have them; with `cost=1`.',
      }),
    ),
    absorbed_nano: Type.Optional(nano),
  },
  { title: 'UsageRow', description: 'What it is grouped by, and the sums.' },
)

const usage = Type.Object(
  {
    by: Type.Array(fields.oneOf('account', 'key', 'model', 'backend', 'owner', 'day')),
    since_ms: fields.atMs(),
    until_ms: fields.atMs(),
    ...fields.page(row).properties,
  },
  { title: 'UsageSums' },
)

/** `/usage` for the document. */
export const usageDoc = {
  sums: {
    tag: 'Ledger',
    access: 'management',
    summary: 'Sum up what was used and charged',
    description:
      'Exact sums over the settlements of a time. Of whole days (UTC) they are kept ready: a year of them is answered as fast as a day.',
    answer: jsonAnswer(200, 'A row for each group, or one sum.', usage, {
      by: [],
      since_ms: examples.atMs - 2_592_000_000,
      until_ms: examples.atMs,
      data: [
        {
          requests: 2,
          voided: 0,
          units: examples.usage,
          cost_usd: '0.0000147',
          cost_nano: '14700',
          charged_usd: '0.0000147',
          charged_nano: '14700',
        },
      ],
      has_more: false,
      next: null,
    }),
    errors: ['invalid_request', 'not_found'],
  },
} satisfies Record<string, OperationDoc>
