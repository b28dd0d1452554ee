import { Type } from '@sinclair/typebox'
import { FORM_RULES, fileField, IN_A_FORM } from '../document/file-field.ts'
import { openObject, optional, PASSES_ON } from '../document/open-object.ts'
import type { OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'
import { pictureAnswers } from './picture-answers.ts'

const request = openObject(
  'ImageEditRequest',
  {
    model: Type.String({ minLength: 1, description: 'Id or alias of a model.' }),
    prompt: Type.String(),
    image: optional(fileField('The picture; several as `image[]`.')),
    mask: optional(fileField('Where it may be changed.')),
    n: optional(Type.Integer({ minimum: 1, description: 'How many pictures.' })),
    quality: optional(Type.String({ description: 'It decides what is held for a picture.' })),
    stream: optional(Type.Boolean({ description: 'Pictures as events, with `partial_images` of them before.' })),
    partial_images: optional(Type.Integer({ minimum: 0, maximum: 3 })),
  },
  PASSES_ON,
)

/** `POST /images/edits` for the document. */
export const imagesEditsDoc: OperationDoc = {
  tag: 'Inference',
  summary: 'Change pictures',
  description: `Billed by the tokens that the provider reports, by kind, or by picture (\`per_image\`). ${FORM_RULES}`,
  access: 'key',
  body: request,
  requests: { Plain: { model: SAMPLE_MODEL, prompt: 'A hat', image: '' } },
  ...IN_A_FORM,
  ...pictureAnswers('image_edit'),
  errors: ['duplicate_field'],
  routed: true,
}
