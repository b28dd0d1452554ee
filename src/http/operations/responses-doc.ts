import { type TSchema, Type } from '@sinclair/typebox'
import { eventText } from '../../lib/index.ts'
import { KEPT_ERRORS } from '../document/kept-errors.ts'
import { openObject, optional, optionalOrNull, PASSES_ON } from '../document/open-object.ts'
import { type AnswerDoc, jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

const open = { additionalProperties: true } as const

const instructions = optionalOrNull(Type.String(), 'What the model is told before.')

const request = openObject(
  'ResponseRequest',
  {
    model: Type.String({ minLength: 1, description: 'Id or alias of a model.' }),
    input: optional(
      Type.Union([Type.String(), Type.Array(Type.Object({}, open))], {
        description:
          'A text, or items: messages, calls of tools and their results, reasoning, references to items of stored responses.',
      }),
    ),
    instructions,
    max_output_tokens: optionalOrNull(
      Type.Integer({ minimum: 1 }),
      'Most tokens of the answer, reasoning included. It also bounds what is held for the request.',
    ),
    stream: optionalOrNull(Type.Boolean(), 'Answer event by event.'),
    previous_response_id: optionalOrNull(
      Type.String(),
      'The stored response of your account that this one goes on from: it is sent to the backend that keeps that one.',
    ),
    store: optionalOrNull(
      Type.Boolean(),
      'Whether the provider keeps the response; where it can, it does unless this is false.',
    ),
    background: optionalOrNull(
      Type.Boolean(),
      'Answer at once, and make the response meanwhile. Accounts that pay before need their own credential for it, or an offer with a price per request.',
    ),
    tools: optional(Type.Array(Type.Object({ type: Type.String() }, open))),
    text: optional(Type.Object({}, { ...open, description: 'The form of the answer.' })),
    reasoning: optionalOrNull(Type.Object({}, open), '`effort`, `summary`, …'),
  },
  PASSES_ON,
)

const usage = {
  input_tokens: Type.Integer(),
  input_tokens_details: Type.Object({ cached_tokens: Type.Integer() }, open),
  output_tokens: Type.Integer(),
  output_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }, open),
  total_tokens: Type.Integer(),
}
const response = {
  id: Type.String({ description: "The provider's: a stored response is asked for by it." }),
  object: Type.Literal('response'),
  created_at: Type.Number({ description: 'Unix seconds.' }),
  status: Type.String({ description: '`completed`, `incomplete`, `queued`, `in_progress`, `cancelled`.' }),
  model: Type.String({ description: 'As you named it.' }),
  output: Type.Array(Type.Object({ type: Type.String() }, open)),
}
const plain = openObject(
  'Response',
  { ...response, usage: optional(Type.Union([openObject('ResponseUsage', usage), Type.Null()])) },
  "The provider's answer, but for the value of `model`.",
)
const stamped = openObject('OpenRouterResponse', {
  ...response,
  usage: openObject('OpenRouterResponseUsage', {
    ...usage,
    cost: Type.Number({ description: 'What the account pays, in dollars.' }),
    is_byok: Type.Boolean(),
  }),
})

const USAGE = {
  input_tokens: 9,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 19,
}
const RESPONSE = {
  id: 'resp_7Q',
  object: 'response',
  created_at: 1_789_000_000,
  status: 'completed',
  model: SAMPLE_MODEL,
  output: [
    {
      id: 'msg_7Q',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hello from north. I am a simulated provider.', annotations: [] }],
    },
  ],
  usage: USAGE,
}

/** Whole, or as its first and its last event. */
function answerOf(schema: TSchema, example: object): AnswerDoc {
  const events = [
    {
      type: 'response.created',
      sequence_number: 0,
      response: { ...RESPONSE, status: 'in_progress', output: [], usage: null },
    },
    { type: 'response.completed', sequence_number: 12, response: example },
  ]
  return {
    status: 200,
    description: 'The answer: whole, or with `stream` event by event.',
    content: {
      'application/json': { schema, example },
      'text/event-stream': {
        schema: Type.String({
          description: 'Events with names and numbers, up to `response.completed` or `response.incomplete`.',
        }),
        example: events.map(eventText).join(''),
      },
    },
  }
}

const deleted = openObject('DeletedResponse', { id: Type.String(), object: Type.String(), deleted: Type.Boolean() })
const items = openObject('ResponseItems', {
  object: Type.Literal('list'),
  data: Type.Array(Type.Object({ type: Type.String() }, open)),
  has_more: Type.Boolean(),
})
const STORED =
  'Asks the backend that keeps it, with the credential that it was made with. Only keys of the account that made it through this gateway find it, for 30 days.'

const counted = openObject(
  'ResponseTokensRequest',
  {
    model: Type.String({ minLength: 1, description: 'Id or alias of a model.' }),
    input: optional(
      Type.Union([Type.String(), Type.Array(Type.Object({}, open))], { description: 'As of a response.' }),
    ),
    instructions,
    previous_response_id: optionalOrNull(
      Type.String(),
      'The stored response of your account that it would go on from.',
    ),
  },
  PASSES_ON,
)

const hello = { model: SAMPLE_MODEL, input: 'Hello' }

/** `/responses` for the document. */
export const responsesDoc = {
  create: {
    tag: 'Inference',
    summary: 'Make a response',
    description:
      'Events go on as the provider sends them, numbers and all. A stream that breaks ends with the events `error` and `response.failed`. What the provider stores stays \
at the backend that made it, and only the account that asked for it can ask for it again. `conversation` names what was not made here, and is served with an own credential alone.',
    access: 'key',
    body: request,
    requests: {
      Plain: hello,
      Stream: { ...hello, stream: true },
      Items: { ...hello, input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }], store: false },
      Bounded: { ...hello, max_output_tokens: 4, instructions: 'Be brief.' },
    },
    answer: answerOf(plain, RESPONSE),
    openrouterAnswer: answerOf(stamped, {
      ...RESPONSE,
      completed_at: null,
      frequency_penalty: 0,
      presence_penalty: 0,
      usage: { ...USAGE, is_byok: false, cost: 0.00000735 },
    }),
    routed: true,
    names: 'responses',
  },
  inputTokens: {
    tag: 'Inference',
    summary: 'Count the tokens that a response would be made of',
    description: 'Asked of a backend that would make it. Nobody is charged for it.',
    access: 'key',
    body: counted,
    requests: { Plain: hello, Instructed: { ...hello, instructions: 'Be brief.' } },
    answer: jsonAnswer(
      200,
      'The count.',
      openObject('ResponseTokens', { object: Type.String(), input_tokens: Type.Integer() }),
      { object: 'response.input_tokens', input_tokens: 9 },
    ),
    routed: true,
    isFree: true,
    names: 'responses',
  },
  show: {
    tag: 'Stored',
    summary: 'Show a stored response',
    description: `${STORED} With the query \`stream=true\` the events of one that was made in the background, from \`starting_after\` on.`,
    access: 'key',
    answer: jsonAnswer(200, 'The response as it stands now.', plain, RESPONSE),
    errors: KEPT_ERRORS,
  },
  delete: {
    tag: 'Stored',
    summary: 'Delete a stored response',
    description: STORED,
    access: 'key',
    answer: jsonAnswer(200, 'It is there no more.', deleted, { id: 'resp_7Q', object: 'response', deleted: true }),
    errors: KEPT_ERRORS,
  },
  cancel: {
    tag: 'Stored',
    summary: 'Stop a response that is made in the background',
    description: STORED,
    access: 'key',
    answer: jsonAnswer(200, 'The response as it stands now.', plain, RESPONSE),
    errors: KEPT_ERRORS,
  },
  inputItems: {
    tag: 'Stored',
    summary: 'What a stored response was made of',
    description: `${STORED} The query (\`after\`, \`limit\`, \`order\`, \`include\`) goes on as it stands.`,
    access: 'key',
    answer: jsonAnswer(200, 'A page of items.', items, {
      object: 'list',
      data: [{ id: 'msg_6P', type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
      first_id: 'msg_6P',
      last_id: 'msg_6P',
      has_more: false,
    }),
    errors: KEPT_ERRORS,
  },
} as const satisfies Record<string, OperationDoc>
