import { type TSchema, Type } from '@sinclair/typebox'
import { eventText } from '../../lib/index.ts'
import { examples } from '../document/examples.ts'
import { openObject, optional, PASSES_ON } from '../document/open-object.ts'
import { type AnswerDoc, jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL, SAMPLE_OF_MESSAGES } from '../document/sample-model.ts'

const blocks = (description: string) =>
  Type.Union([Type.String(), Type.Array(Type.Object({ type: Type.String() }, { additionalProperties: true }))], {
    description,
  })

const asked = {
  model: Type.String({ minLength: 1, description: 'Id or alias of a model that a backend of this dialect serves.' }),
  messages: Type.Array(
    openObject('AnthropicMessage', {
      role: Type.String({ description: '`user` or `assistant`.' }),
      content: blocks('A text, or blocks: `text`, `image`, `document`, `tool_use`, `tool_result`, `thinking`, …'),
    }),
    { minItems: 1 },
  ),
  system: optional(blocks('A text, or blocks of text.')),
  tools: optional(
    Type.Array(
      openObject('AnthropicTool', {
        name: Type.String(),
        description: optional(Type.String()),
        input_schema: optional(Type.Object({}, { additionalProperties: true, description: 'A JSON schema.' })),
      }),
    ),
  ),
  tool_choice: optional(Type.Object({ type: Type.String() }, { additionalProperties: true })),
  thinking: optional(Type.Object({ type: Type.String() }, { additionalProperties: true })),
  fallbacks: optional(
    Type.Array(Type.Object({ model: Type.String() }, { additionalProperties: false }), {
      maxItems: 3,
      description: 'Models to fall back on, in order; in the place of `models`.',
    }),
  ),
}

const request = openObject(
  'MessageRequest',
  {
    ...asked,
    max_tokens: Type.Integer({
      minimum: 1,
      description: 'Most tokens of the answer. It also bounds what is held for the request.',
    }),
    stream: optional(Type.Boolean({ description: 'Answer event by event.' })),
    temperature: optional(Type.Number()),
    stop_sequences: optional(Type.Array(Type.String())),
  },
  PASSES_ON,
)

const counted = openObject('CountTokensRequest', asked, PASSES_ON)

const usage = {
  input_tokens: Type.Integer({ description: 'Without those read from a cache or written to one.' }),
  output_tokens: Type.Integer(),
  cache_creation_input_tokens: optional(Type.Union([Type.Integer(), Type.Null()])),
  cache_read_input_tokens: optional(Type.Union([Type.Integer(), Type.Null()])),
}
const USAGE = { input_tokens: 9, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 10 }

const message = {
  id: Type.String(),
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  model: Type.String({ description: 'As you named it.' }),
  content: Type.Array(Type.Object({ type: Type.String() }, { additionalProperties: true })),
  stop_reason: Type.Union([Type.String(), Type.Null()], {
    description: '`end_turn`, `max_tokens`, `tool_use`, `stop_sequence`, `refusal`, …',
  }),
  stop_sequence: Type.Union([Type.String(), Type.Null()]),
  usage: openObject('AnthropicUsage', usage),
}
const plain = openObject('AnthropicAnswer', message, "The provider's answer, but for the value of `model`.")

const stamped = openObject('OpenRouterMessage', {
  ...message,
  id: Type.String({ description: 'Begins with `gen-`.' }),
  provider: Type.String({ description: 'Who served it.' }),
  usage: openObject('OpenRouterMessageUsage', {
    ...usage,
    cost: Type.Number({ description: 'What the account pays, in dollars.' }),
    is_byok: Type.Boolean(),
  }),
})

const hello = { model: SAMPLE_OF_MESSAGES, max_tokens: 256, messages: [{ role: 'user', content: 'Hello' }] }
const weather = {
  name: 'get_weather',
  description: 'The weather of a place.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const umbrella = [{ role: 'user', content: 'Do I need an umbrella in Bern?' }]

const ANSWER = {
  id: 'msg_01XFDUDYJgAACzvnptvVoYEL',
  type: 'message',
  role: 'assistant',
  model: SAMPLE_OF_MESSAGES,
  content: [{ type: 'text', text: 'Hello from north. I am a simulated provider.' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: USAGE,
}
/** Whole, or as the first events and the last; `marks` stand in place of the provider's own. */
function answerOf(schema: TSchema, marks: object, told: object): AnswerDoc {
  const events = [
    { type: 'message_start', message: { ...ANSWER, model: SAMPLE_MODEL, ...marks, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: told },
    { type: 'message_stop' },
  ]
  return {
    status: 200,
    description: 'The answer: whole, or with `stream` event by event.',
    content: {
      'application/json': { schema, example: { ...ANSWER, ...marks, usage: told } },
      'text/event-stream': {
        schema: Type.String({ description: 'Named events, from `message_start` to `message_stop`.' }),
        example: events.map(eventText).join(''),
      },
    },
  }
}

/** `POST /messages` and `/messages/count_tokens` for the document. Requests are read by the dialect; these schemas check nothing. */
export const messagesDoc: Readonly<Record<'create' | 'countTokens', OperationDoc>> = {
  create: {
    tag: 'Inference',
    summary: "Answer a conversation, in Anthropic's form",
    description:
      "Served by backends that speak Anthropic's dialect: nothing is translated. `anthropic-version` and `anthropic-beta` go on to the provider. A \
broken stream ends with an `error` event and without `message_stop`; a silent one gets comments. Anthropic's SDKs take the origin of this server as their base URL \
and a key as `x-api-key` or `Authorization: Bearer`.",
    access: 'key',
    body: request,
    requests: {
      Plain: hello,
      Stream: { ...hello, stream: true },
      Tools: { ...hello, messages: umbrella, tools: [weather] },
    },
    answer: answerOf(plain, {}, USAGE),
    openrouterAnswer: answerOf(stamped, examples.marks, { ...USAGE, is_byok: false, cost: 0.00000735 }),
    names: 'files',
    routed: true,
  },
  countTokens: {
    tag: 'Inference',
    summary: "Count the tokens of a conversation, in Anthropic's form",
    description: 'Asked of a backend that would answer it. Nobody is charged for it.',
    access: 'key',
    body: counted,
    requests: {
      Plain: { model: SAMPLE_OF_MESSAGES, messages: hello.messages },
      Tools: { model: SAMPLE_OF_MESSAGES, messages: umbrella, tools: [weather] },
    },
    answer: jsonAnswer(
      200,
      'The count.',
      openObject('TokenCount', { input_tokens: Type.Integer({ description: 'Of the whole prompt.' }) }),
      { input_tokens: 9 },
    ),
    names: 'files',
    routed: true,
    isFree: true,
  },
}
