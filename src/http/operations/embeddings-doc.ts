import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { openObject, optional, PASSES_ON } from '../document/open-object.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

const request = openObject(
  'EmbeddingRequest',
  {
    model: Type.String({ minLength: 1, description: 'Id or alias of a model.' }),
    input: Type.Union([Type.String(), Type.Array(Type.Unknown())], {
      description: 'A text, several, or the same as tokens.',
    }),
    encoding_format: optional(
      Type.String({ description: '`float` (the default) or `base64`: 32-bit floats, the lowest byte first.' }),
    ),
    dimensions: optional(Type.Integer({ minimum: 1 })),
  },
  PASSES_ON,
)

const list = openObject('Embeddings', {
  object: Type.Literal('list'),
  data: Type.Array(
    openObject('Embedding', {
      object: Type.Literal('embedding'),
      index: Type.Integer({ description: 'Rows come in the order of the input.' }),
      embedding: Type.Union([Type.Array(Type.Number()), Type.String()], {
        description: 'In the form that was asked for.',
      }),
    }),
  ),
  model: Type.String({ description: 'As you named it.' }),
  usage: optional(openObject('EmbeddingUsage', { prompt_tokens: Type.Integer(), total_tokens: Type.Integer() })),
})

const USAGE = { prompt_tokens: 1, total_tokens: 1 }
const LIST = {
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5, 0.125] }],
  model: SAMPLE_MODEL,
  usage: USAGE,
}
const hello = { model: SAMPLE_MODEL, input: 'Hello' }

/** `POST /embeddings` for the document. */
export const embeddingsDoc: OperationDoc = {
  tag: 'Inference',
  summary: 'Texts as vectors',
  description:
    'Vectors come in the form that was asked for and in the order of the input, whatever the provider does: numbers become base64 and the reverse, exactly. Nothing is asked of a provider that you did not ask.',
  access: 'key',
  body: request,
  requests: {
    Plain: hello,
    Base64: { ...hello, encoding_format: 'base64' },
    Several: { ...hello, input: ['Hello', 'world'] },
  },
  answer: jsonAnswer(200, 'The vectors.', list, LIST),
  openrouterAnswer: jsonAnswer(200, 'The vectors.', list, {
    ...LIST,
    ...examples.marks,
    usage: { ...USAGE, is_byok: false, cost: 0.00000015 },
  }),
  routed: true,
}
