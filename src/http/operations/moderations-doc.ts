import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { openObject, optional, PASSES_ON } from '../document/open-object.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

const request = openObject(
  'ModerationRequest',
  {
    model: optional(
      Type.String({ description: 'Id or alias of a model; without one `omni-moderation-latest` is meant.' }),
    ),
    input: Type.Union([Type.String(), Type.Array(Type.Unknown())], {
      description: 'A text, several, or parts of text and images.',
    }),
  },
  PASSES_ON,
)

const judgement = openObject('Moderation', {
  id: Type.String(),
  model: Type.String({ description: 'As you named it.' }),
  results: Type.Array(
    openObject('ModerationResult', {
      flagged: Type.Boolean(),
      categories: Type.Record(Type.String(), Type.Boolean()),
      category_scores: Type.Record(Type.String(), Type.Number()),
    }),
  ),
})

const JUDGEMENT = {
  id: 'modr-7Q',
  model: SAMPLE_MODEL,
  results: [{ flagged: false, categories: { violence: false }, category_scores: { violence: 0.01 } }],
}

/** `POST /moderations` for the document. */
export const moderationsDoc: OperationDoc = {
  tag: 'Inference',
  summary: 'Judge texts and images',
  description: 'An answer tells no usage: an offer serves prepaid accounts if it is free or has a price per request.',
  access: 'key',
  body: request,
  requests: { Plain: { model: SAMPLE_MODEL, input: 'Hello' } },
  answer: jsonAnswer(200, 'One judgement for each input.', judgement, JUDGEMENT),
  openrouterAnswer: jsonAnswer(200, 'One judgement for each input.', judgement, {
    ...JUDGEMENT,
    ...examples.marks,
    usage: { is_byok: false, cost: 0 },
  }),
  routed: true,
}
