import { Type } from '@sinclair/typebox'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'
import { OFFER, offerSchema, skipSchema } from './shared-schema.ts'

const rank = Type.Object({
  rule: Type.String(),
  key: Type.Union([Type.Number(), Type.Null()], { description: 'Smaller comes first; null: not known, so last.' }),
})

const candidate = Type.Object(
  {
    model: Type.String(),
    ...offerSchema.properties,
    credential: Type.Optional(
      Type.String({ description: "The account's own credential that it would be tried with, at no charge." }),
    ),
    trial: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: ['half_open', 'least_bad'],
        description: 'It is to be proved: it would get one request at a time.',
      }),
    ),
    behind_by: Type.Union([Type.String(), Type.Null()], {
      description:
        'The first ranking by which it stands behind the one before it; null for the first, and where they stand as they came.',
    }),
    ranks: Type.Array(rank, { description: 'From left to right: the first that differs decides.' }),
  },
  { title: 'Candidate' },
)

const refusal = Type.Object({ status: Type.Integer(), code: Type.String(), message: Type.String() })

const plan = Type.Object(
  {
    model: Type.String({ description: 'Its id, whatever it was asked for as.' }),
    candidates: Type.Array(candidate, { description: 'In the order in which they would be tried.' }),
    router: Type.Union([Type.String(), Type.Null()], { description: 'The router model that was asked for.' }),
    skips: Type.Array(skipSchema),
    refusal: Type.Union([refusal, Type.Null()], { description: 'What the caller would get in place of an answer.' }),
  },
  { title: 'RoutePlan' },
)

/** `/route` for the document. */
export const routeDoc = {
  plan: {
    tag: 'Catalogue',
    access: 'management',
    summary: 'Show which backends would be tried, and why the others not',
    description:
      'Nothing is sent or held. With a `body`: what would become of that request, its wishes and its money included. Without an account and a key: as an unmetered account would get it.',
    requests: {
      'As anybody': { model: SAMPLE_MODEL },
      'As an account': { model: SAMPLE_MODEL, account: 'demo' },
      'A request': {
        body: {
          model: 'anyrouter/auto',
          messages: [{ role: 'user', content: 'Hello' }],
          provider: { sort: 'price' },
        },
      },
    },
    answer: jsonAnswer(200, 'The route plan.', plan, {
      model: SAMPLE_MODEL,
      router: null,
      candidates: [{ model: SAMPLE_MODEL, ...OFFER, behind_by: null, ranks: [{ rule: 'catalogue-order', key: 0 }] }],
      skips: [{ offer: `south/${SAMPLE_MODEL}`, backend: 'south', rule: 'enabled', reason: 'the backend is disabled' }],
      refusal: null,
    }),
    errors: ['not_found', 'model_not_found', 'invalid_request'],
  },
} satisfies Record<string, OperationDoc>
