import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

const open = { additionalProperties: true } as const
const text = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

const failure = Type.Object({
  message: Type.String({ description: 'The code of the error.' }),
  status: Type.Integer({ description: 'Of the answer that the caller got.' }),
  provider_name: text('Of the last attempt.'),
  raw: Type.Null({ description: 'What a provider said of it is not kept.' }),
  previous_errors: Type.Array(
    Type.Object({
      code: Type.Integer({ description: 'The status that was answered; 502 without one.' }),
      message: Type.String(),
      provider_name: Type.String(),
      raw: Type.Null(),
    }),
    { description: 'Attempts before the last one, in their order.' },
  ),
})

const content = Type.Object(
  {
    id: fields.id('gen-'),
    input: Type.Object(
      {},
      {
        ...open,
        description:
          'The body of the request; where it has neither `messages` nor a `prompt`, or was cut, its text as `prompt`.',
      },
    ),
    output: Type.Object(
      {
        completion: text('What the model said; null: no words.'),
        reasoning: text('What it thought, as far as it was told.'),
      },
      { description: 'The words of the answer.' },
    ),
    error: Type.Union([failure, Type.Null()], { description: 'How the request failed; null: it did not.' }),
    answer: Type.Union([Type.Object({}, open), Type.String(), Type.Null()], {
      description:
        'The whole answer as it was delivered: an object, or of a stream its events as a text; null: there was none.',
    }),
    streamed: Type.Boolean(),
    is_cut: Type.Boolean({ description: 'More was there than is kept: 256 KB of each.' }),
  },
  { title: 'GenerationContent' },
)

/** `/generation/content` for the document. */
export const contentDoc: OperationDoc = {
  tag: 'Records',
  access: 'key',
  summary: 'Show what a request said and was answered',
  description: 'Only where the account has it kept (`store_content`), for `records.content_keep_days`.',
  answer: jsonAnswer(200, 'Prompt and answer.', Type.Object({ data: content }), {
    data: {
      id: examples.generationId,
      input: { model: SAMPLE_MODEL, messages: [{ role: 'user', content: 'Hello' }] },
      output: { completion: 'Hello', reasoning: null },
      error: null,
      answer: { choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }] },
      streamed: false,
      is_cut: false,
    },
  }),
  errors: ['insufficient_scope', 'invalid_request', 'not_found', 'conflict'],
}
