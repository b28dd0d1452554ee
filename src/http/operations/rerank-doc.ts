import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { openObject, optional, PASSES_ON } from '../document/open-object.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

const request = openObject(
  'RerankRequest',
  {
    model: Type.String({ minLength: 1, description: 'Id or alias of a model.' }),
    query: Type.String(),
    documents: Type.Array(Type.Unknown(), { description: 'Texts, or objects with a `text`.' }),
    top_n: optional(Type.Integer({ minimum: 1 })),
    return_documents: optional(Type.Boolean()),
  },
  PASSES_ON,
)

const ranking = openObject('Ranking', {
  model: optional(Type.String({ description: 'As you named it.' })),
  results: optional(
    Type.Array(openObject('RankedDocument', { index: Type.Integer(), relevance_score: Type.Number() }), {
      description: 'The best first; `index` is its place among the documents.',
    }),
  ),
})

const USAGE = { total_tokens: 5, search_units: 1 }
const RANKING = { model: SAMPLE_MODEL, results: [{ index: 1, relevance_score: 0.9 }], usage: USAGE }

/** `POST /rerank` for the document. */
export const rerankDoc: OperationDoc = {
  tag: 'Inference',
  summary: 'Put documents in the order of their use to a query',
  description:
    'The form of Cohere, Jina and OpenRouter. Billed by tokens, or by search units (`per_search`): a query with up to 100 documents is one.',
  access: 'key',
  body: request,
  requests: { Plain: { model: SAMPLE_MODEL, query: 'A city', documents: ['An apple', 'Bern is a city'], top_n: 1 } },
  answer: jsonAnswer(200, 'The documents in order.', ranking, RANKING),
  openrouterAnswer: jsonAnswer(200, 'The documents in order.', ranking, {
    ...RANKING,
    ...examples.marks,
    usage: { ...USAGE, is_byok: false, cost: 0.00000075 },
  }),
  routed: true,
}
