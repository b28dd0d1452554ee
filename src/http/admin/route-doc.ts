import { Type } from '@sinclair/typebox'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'
import { OFFER, offerSchema, skipSchema } from './shared-schema.ts'

const candidate = Type.Object(
  {
    ...offerSchema.properties,
    credential: Type.Optional(
      Type.String({ description: "The account's own credential that it would be tried with, at no charge." }),
    ),
  },
  { title: 'Candidate' },
)

const plan = Type.Object(
  {
    model: Type.String({ description: 'Its id, whatever it was asked for as.' }),
    candidates: Type.Array(candidate, { description: 'In the order in which they would be tried.' }),
    skips: Type.Array(skipSchema),
  },
  { title: 'RoutePlan' },
)

/** `/route` for the document. */
export const routeDoc = {
  plan: {
    tag: 'Catalogue',
    access: 'management',
    summary: 'Show which backends would be tried, and why the others not',
    description: 'Nothing is sent. Without an account and a key: as an unmetered account would get it.',
    requests: {
      'As anybody': { model: SAMPLE_MODEL },
      'As an account': { model: SAMPLE_MODEL, account: 'demo' },
    },
    answer: jsonAnswer(200, 'The route plan.', plan, {
      model: SAMPLE_MODEL,
      candidates: [OFFER],
      skips: [{ offer: `south/${SAMPLE_MODEL}`, backend: 'south', rule: 'enabled', reason: 'the backend is disabled' }],
    }),
    errors: ['not_found', 'model_not_found'],
  },
} satisfies Record<string, OperationDoc>
