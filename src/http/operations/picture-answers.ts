import { Type } from '@sinclair/typebox'
import { eventText } from '../../lib/index.ts'
import { examples } from '../document/examples.ts'
import { openObject, optional } from '../document/open-object.ts'
import type { AnswerDoc, OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

/** What an operation that makes pictures answers, on every surface; `event`: what its events are called, `null` for one that has none. */
export const pictureAnswers = (event: string | null): Pick<OperationDoc, 'answer' | 'openrouterAnswer'> => ({
  answer: answerOf({}, USAGE, event),
  openrouterAnswer: answerOf(
    { ...examples.marks, model: SAMPLE_MODEL },
    { ...USAGE, prompt_tokens: 2, completion_tokens: 272, is_byok: false, cost: 0.0001635 },
    event,
  ),
})

const pictures = openObject('Images', {
  created: Type.Integer({ description: 'Unix seconds.' }),
  data: Type.Array(openObject('Image', { b64_json: optional(Type.String()), url: optional(Type.String()) })),
})

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const USAGE = { input_tokens: 2, output_tokens: 272, total_tokens: 274 }
const PICTURES = { created: 1_789_000_000, data: [{ b64_json: PIXEL }], usage: USAGE }
const answerOf = (marks: object, usage: object, event: string | null): AnswerDoc => ({
  status: 200,
  description: event === null ? 'The pictures.' : 'The pictures: whole, or with `stream` as events.',
  content: {
    'application/json': { schema: pictures, example: { ...PICTURES, ...marks, usage } },
    ...(event === null ? {} : { 'text/event-stream': eventsOf(event, usage) }),
  },
})

const eventsOf = (event: string, usage: object) => {
  const completed = { type: `${event}.completed`, b64_json: PIXEL, created_at: 1_789_000_000, usage }
  return {
    schema: Type.String({ description: `Events \`${event}.partial_image\` and \`${event}.completed\`.` }),
    example: eventText(completed),
  }
}
