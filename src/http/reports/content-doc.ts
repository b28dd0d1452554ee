import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

const open = { additionalProperties: true } as const
const said = (description: string) => Type.Union([Type.Object({}, open), Type.String(), Type.Null()], { description })

const content = Type.Object(
  {
    id: fields.id('gen-'),
    input: said('The body of the request; a text where only its beginning was kept.'),
    output: said(
      'The answer as it was delivered: an object, or of a stream its events as a text; null: there was none.',
    ),
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
      output: { choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }] },
      streamed: false,
      is_cut: false,
    },
  }),
  errors: ['insufficient_scope', 'invalid_request', 'not_found', 'conflict'],
}
