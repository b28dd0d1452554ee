import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { openObject, optional, PASSES_ON } from '../document/open-object.ts'
import type { AnswerDoc, OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

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

const pictures = openObject('Images', {
  created: Type.Integer({ description: 'Unix seconds.' }),
  data: Type.Array(openObject('Image', { b64_json: optional(Type.String()), url: optional(Type.String()) })),
})

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const USAGE = { input_tokens: 2, output_tokens: 272, total_tokens: 274 }
const PICTURES = { created: 1_789_000_000, data: [{ b64_json: PIXEL }], usage: USAGE }
const COMPLETED = { type: 'image_generation.completed', b64_json: PIXEL, created_at: 1_789_000_000, usage: USAGE }

const answerOf = (marks: object, usage: object): AnswerDoc => ({
  status: 200,
  description: 'The pictures: whole, or with `stream` as events.',
  timed: true,
  content: {
    'application/json': { schema: pictures, example: { ...PICTURES, ...marks, usage } },
    'text/event-stream': {
      schema: Type.String({ description: 'Events `image_generation.partial_image` and `image_generation.completed`.' }),
      example: `event: ${COMPLETED.type}\ndata: ${JSON.stringify({ ...COMPLETED, usage })}\n\n`,
    },
  },
})

const city = { model: SAMPLE_MODEL, prompt: 'A city', quality: 'low' }

/** `POST /images/generations` for the document. */
export const imagesGenerationsDoc: OperationDoc = {
  tag: 'Inference',
  summary: 'Make pictures',
  description: 'Billed by the tokens that the provider reports, by kind, or by picture (`per_image`).',
  access: 'key',
  body: request,
  requests: { Plain: city, Stream: { ...city, stream: true, partial_images: 1 } },
  answer: answerOf({}, USAGE),
  openrouterAnswer: answerOf(
    { id: examples.generationId, provider: examples.provider, model: SAMPLE_MODEL },
    { ...USAGE, is_byok: false, cost: 0.0001635 },
  ),
  routed: true,
}
