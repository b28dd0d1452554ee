import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { openObject, optional, PASSES_ON } from '../document/open-object.ts'
import type { AnswerDoc, OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

const request = openObject(
  'CompletionRequest',
  {
    model: Type.String({ minLength: 1, description: 'Id or alias of a model.' }),
    prompt: optional(
      Type.Union([Type.String(), Type.Array(Type.Union([Type.String(), Type.Integer(), Type.Array(Type.Integer())]))], {
        description: 'A text, several, or the same as tokens. Each is answered.',
      }),
    ),
    suffix: optional(Type.Union([Type.String(), Type.Null()])),
    stream: optional(Type.Union([Type.Boolean(), Type.Null()], { description: 'Answer event by event.' })),
    max_tokens: optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
    n: optional(Type.Integer({ minimum: 1, description: 'How many answers to each prompt.' })),
    best_of: optional(Type.Integer({ minimum: 1 })),
    echo: optional(Type.Boolean()),
  },
  PASSES_ON,
)

const USAGE = { prompt_tokens: 2, completion_tokens: 8, total_tokens: 10 }
const completion = openObject('Completion', {
  id: Type.String(),
  object: Type.Literal('text_completion'),
  created: Type.Integer({ description: 'Unix seconds.' }),
  model: Type.String({ description: 'As you named it.' }),
  choices: Type.Array(
    openObject('CompletionChoice', {
      index: Type.Integer(),
      text: Type.String(),
      finish_reason: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
})

const COMPLETION = {
  id: 'cmpl-7Q',
  object: 'text_completion',
  created: 1_789_000_000,
  model: SAMPLE_MODEL,
  choices: [{ index: 0, text: 'Hello from north. I am a simulated provider.', logprobs: null, finish_reason: 'stop' }],
}

const answerOf = (marks: object, usage: object): AnswerDoc => ({
  status: 200,
  description: 'The answer: whole, or with `stream` event by event.',
  content: {
    'application/json': { schema: completion, example: { ...COMPLETION, ...marks, usage } },
    'text/event-stream': {
      schema: Type.String({ description: 'Events of `text_completion` objects, then `data: [DONE]`.' }),
      example: `data: ${JSON.stringify({ ...COMPLETION, ...marks })}\n\ndata: [DONE]\n\n`,
    },
  },
})

const hello = { model: SAMPLE_MODEL, prompt: 'Once upon' }

/** `POST /completions` for the document. */
export const completionsDoc: OperationDoc = {
  tag: 'Inference',
  summary: 'Go on with a text',
  description:
    'The older form of an answer: a text in place of a conversation. Routed, held, metered and streamed as conversations are.',
  access: 'key',
  body: request,
  requests: { Plain: hello, Stream: { ...hello, stream: true, stream_options: { include_usage: true } } },
  answer: answerOf({}, USAGE),
  openrouterAnswer: answerOf(examples.marks, { ...USAGE, is_byok: false, cost: 0.0000051 }),
  routed: true,
}
