import { Type } from '@sinclair/typebox'
import { FORM_RULES, fileField, IN_A_FORM } from '../document/file-field.ts'
import { openObject, optional, PASSES_ON } from '../document/open-object.ts'
import type { OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'
import { pictureAnswers } from './picture-answers.ts'

const request = openObject(
  'ImageVariationRequest',
  {
    model: optional(Type.String({ minLength: 1, description: 'Id or alias of a model; `dall-e-2` when absent.' })),
    image: fileField('The picture.'),
    n: optional(Type.Integer({ minimum: 1, description: 'How many pictures.' })),
  },
  PASSES_ON,
)

/** `POST /images/variations` for the document. */
export const imagesVariationsDoc: OperationDoc = {
  tag: 'Inference',
  summary: 'Make pictures like one',
  description: `Billed by picture (\`per_image\`), or by the tokens that the provider reports. ${FORM_RULES}`,
  access: 'key',
  body: request,
  requests: { Plain: { model: SAMPLE_MODEL, image: '' } },
  ...IN_A_FORM,
  ...pictureAnswers(null),
  errors: ['duplicate_field'],
  routed: true,
}
