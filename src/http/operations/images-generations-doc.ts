import { Type } from '@sinclair/typebox'
import { openObject, optional, PASSES_ON } from '../document/open-object.ts'
import type { OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'
import { pictureAnswers } from './picture-answers.ts'

const request = openObject(
  'ImageRequest',
  {
    model: Type.String({ minLength: 1, description: 'Id or alias of a model.' }),
    prompt: Type.String(),
    n: optional(Type.Integer({ minimum: 1, description: 'How many pictures.' })),
    quality: optional(Type.String({ description: 'It decides what is held for a picture.' })),
    size: optional(Type.String()),
    stream: optional(Type.Boolean({ description: 'Pictures as events, with `partial_images` of them before.' })),
    partial_images: optional(Type.Integer({ minimum: 0, maximum: 3 })),
  },
  PASSES_ON,
)

const city = { model: SAMPLE_MODEL, prompt: 'A city', quality: 'low' }

/** `POST /images/generations` for the document. */
export const imagesGenerationsDoc: OperationDoc = {
  tag: 'Inference',
  summary: 'Make pictures',
  description: 'Billed by the tokens that the provider reports, by kind, or by picture (`per_image`).',
  access: 'key',
  body: request,
  requests: { Plain: city, Stream: { ...city, stream: true, partial_images: 1 } },
  ...pictureAnswers('image_generation'),
  routed: true,
}
