import { Type } from '@sinclair/typebox'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

const row = Type.Object(
  {
    date: Type.String({ description: 'In UTC.' }),
    model: Type.String(),
    model_permaslug: Type.String({ description: 'As `model`.' }),
    endpoint_id: Type.String({ description: 'The backend; `anyrouter` where backends are hidden.' }),
    provider_name: Type.String({ description: 'Likewise.' }),
    requests: Type.Integer(),
    usage: Type.Number({ description: 'What they were charged, in dollars.' }),
    byok_usage_inference: Type.Number({
      description: "Always 0: what the account's own provider bills it is not known.",
    }),
    prompt_tokens: Type.Integer(),
    completion_tokens: Type.Integer(),
    reasoning_tokens: Type.Integer(),
  },
  { title: 'ActivityRow' },
)

/** `/activity` for the document. */
export const activityDoc: OperationDoc = {
  tag: 'Credits',
  access: 'key',
  summary: 'Tell what was used, by day, model and provider',
  description: 'Exact sums over settlements. A key is told of its own account, a management key of all.',
  answer: jsonAnswer(200, 'A row for each day, model and backend.', Type.Object({ data: Type.Array(row) }), {
    data: [
      {
        date: '2026-09-10',
        model: SAMPLE_MODEL,
        model_permaslug: SAMPLE_MODEL,
        endpoint_id: 'north',
        provider_name: 'demo-north',
        requests: 1,
        usage: 0.00000735,
        byok_usage_inference: 0,
        prompt_tokens: 9,
        completion_tokens: 10,
        reasoning_tokens: 0,
      },
    ],
  }),
  errors: ['insufficient_scope', 'invalid_request', 'not_found'],
}
