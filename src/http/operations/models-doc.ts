import { Type } from '@sinclair/typebox'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

const model = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('model'),
    created: Type.Integer({ description: 'Unix seconds.' }),
    owned_by: Type.String({ description: 'The provider of its first offer.' }),
  },
  { title: 'Model' },
)
const list = Type.Object({ object: Type.Literal('list'), data: Type.Array(model) })

const example = { id: SAMPLE_MODEL, object: 'model', created: 1_789_000_000, owned_by: 'demo-north' }

const common = { tag: 'Models', access: 'key' } as const
const ERRORS = [
  'address_not_permitted',
  'account_disabled',
  'head_too_large',
  'too_many_requests_in_flight',
  'shutting_down',
] as const

/** The list and one of it, for the document. */
export const modelsDoc = {
  list: {
    ...common,
    summary: 'List the models that this key may use',
    answer: {
      ...jsonAnswer(200, 'In the order of the catalogue.', list, { object: 'list', data: [example] }),
      timed: true,
    },
    errors: ERRORS,
  },
  show: {
    ...common,
    summary: 'Show one model',
    answer: { ...jsonAnswer(200, 'The model, under its id.', model, example), timed: true },
    errors: [...ERRORS, 'invalid_request', 'model_not_found'],
  },
} satisfies Record<string, OperationDoc>
