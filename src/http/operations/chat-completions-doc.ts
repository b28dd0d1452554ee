import { type TSchema, Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import type { AnswerDoc, OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema)
const oneOf = (...names: string[]) => Type.Unsafe<string>({ type: 'string', enum: names })
const open = { additionalProperties: true } as const

const toolCall = Type.Object(
  {
    id: Type.String(),
    type: oneOf('function'),
    function: Type.Object({ name: Type.String(), arguments: Type.String({ description: 'JSON.' }) }),
  },
  { title: 'ToolCall' },
)

const message = Type.Object(
  {
    role: oneOf('system', 'developer', 'user', 'assistant', 'tool', 'function'),
    content: optional(
      Type.Union([Type.String(), Type.Array(Type.Object({ type: Type.String() }, open)), Type.Null()], {
        description: 'A text, or a list of parts: `text`, `image_url`, `input_audio`, `file`.',
      }),
    ),
    tool_calls: optional(Type.Array(toolCall)),
    tool_call_id: optional(Type.String({ description: 'Of the call that a `tool` message answers.' })),
  },
  { ...open, title: 'Message' },
)

const tool = Type.Object(
  {
    type: oneOf('function'),
    function: Type.Object(
      {
        name: Type.String(),
        description: optional(Type.String()),
        parameters: optional(Type.Object({}, { ...open, description: 'A JSON schema.' })),
      },
      open,
    ),
  },
  { title: 'Tool' },
)

const limit = (description: string) =>
  optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description }))

const request = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      description: 'Id or alias of a model; `:floor`, `:nitro` or `:free` may follow.',
    }),
    messages: Type.Array(message, { minItems: 1 }),
    stream: optional(Type.Union([Type.Boolean(), Type.Null()], { description: 'Answer event by event.' })),
    stream_options: optional(
      Type.Object(
        { include_usage: optional(Type.Boolean({ description: 'A last event with the usage.' })) },
        { ...open, description: 'Streams are billed by the usage event; it reaches you only if you ask for it.' },
      ),
    ),
    max_completion_tokens: limit('Most tokens of an answer. It also bounds what is held for the request.'),
    max_tokens: limit('The older name of it; of two the larger counts.'),
    n: optional(Type.Integer({ minimum: 1, description: 'How many answers.' })),
    tools: optional(Type.Array(tool)),
    tool_choice: optional(Type.Union([Type.String(), Type.Object({}, open)])),
    response_format: optional(Type.Object({ type: Type.String() }, open)),
    temperature: optional(Type.Number()),
    top_p: optional(Type.Number()),
    stop: optional(Type.Union([Type.String(), Type.Array(Type.String())])),
    seed: optional(Type.Integer()),
  },
  { ...open, title: 'ChatCompletionRequest', description: 'Every other field goes on to the provider as it stands.' },
)

const usage = { prompt_tokens: Type.Integer(), completion_tokens: Type.Integer(), total_tokens: Type.Integer() }
const USAGE = { prompt_tokens: 9, completion_tokens: 10, total_tokens: 19 }

const completion = {
  id: Type.String(),
  object: oneOf('chat.completion'),
  created: Type.Integer({ description: 'Unix seconds.' }),
  model: Type.String({ description: 'As you named it.' }),
  choices: Type.Array(
    Type.Object(
      {
        index: Type.Integer(),
        message: Type.Object(
          {
            role: oneOf('assistant'),
            content: Type.Union([Type.String(), Type.Null()]),
            tool_calls: optional(Type.Array(toolCall)),
          },
          open,
        ),
        finish_reason: Type.String({ description: '`stop`, `length`, `tool_calls`, `content_filter`, …' }),
      },
      open,
    ),
  ),
  usage: optional(Type.Object(usage, { ...open, title: 'Usage' })),
}
const openaiCompletion = Type.Object(completion, {
  ...open,
  title: 'ChatCompletion',
  description: "The provider's answer, but for the value of `model`.",
})

const openrouterCompletion = Type.Object(
  {
    ...completion,
    id: Type.String({ description: 'Begins with `gen-`.' }),
    provider: Type.String({ description: 'Who served it.' }),
    usage: Type.Object(
      { ...usage, cost: Type.Number({ description: 'What the account pays, in dollars.' }), is_byok: Type.Boolean() },
      { ...open, title: 'OpenRouterUsage' },
    ),
  },
  { ...open, title: 'OpenRouterCompletion' },
)

const hello = { model: SAMPLE_MODEL, messages: [{ role: 'user', content: 'Hello' }] }
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a place.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

const COMPLETION = {
  id: 'chatcmpl-7Q',
  object: 'chat.completion',
  created: 1_789_000_000,
  model: SAMPLE_MODEL,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hello from north. I am a simulated provider.' },
      finish_reason: 'stop',
    },
  ],
  usage: USAGE,
}
/** Whole, or as two events and the end; `marks` stand in place of the provider's own. */
function answerOf(schema: TSchema, marks: object, usage: object): AnswerDoc {
  const event = (delta: object, finish_reason: string | null): string => {
    const chunk = { ...COMPLETION, usage: undefined, ...marks, object: 'chat.completion.chunk' }
    return `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  }
  return {
    status: 200,
    description: 'The answer: whole, or with `stream` event by event.',
    content: {
      'application/json': { schema, example: { ...COMPLETION, ...marks, usage } },
      'text/event-stream': {
        schema: Type.String({ description: 'Events of `chat.completion.chunk` objects, then `data: [DONE]`.' }),
        example: `${event({ role: 'assistant', content: 'Hello' }, null)}${event({}, 'stop')}data: [DONE]\n\n`,
      },
    },
  }
}

/** `POST /chat/completions` for the document. Requests are read by the dialect; these schemas check nothing. */
export const chatCompletionsDoc: OperationDoc = {
  tag: 'Inference',
  summary: 'Answer a conversation',
  description:
    'The backends that serve the model are tried in the order of the route plan until one gives its first content; then the answer is \
relayed byte by byte. What it may cost is held before and settled after. A broken stream ends with an error event and without `[DONE]`; a silent one gets comments. With the header `x-anyrouter-explain: 1` the answer tells, in its header of that name, how it was routed. A key with limits per minute is told in `x-ratelimit-*` where it stands.',
  access: 'key',
  body: request,
  requests: {
    Plain: hello,
    Stream: { ...hello, stream: true, stream_options: { include_usage: true } },
    Tools: { ...hello, messages: [{ role: 'user', content: 'Do I need an umbrella in Bern?' }], tools: [weather] },
    Bounded: { ...hello, max_completion_tokens: 4, temperature: 0.2 },
    Routed: { ...hello, provider: { sort: 'price', max_price: { prompt: 1, completion: 2 } }, session_id: 'umbrella' },
  },
  answer: answerOf(openaiCompletion, {}, USAGE),
  openrouterAnswer: answerOf(openrouterCompletion, examples.marks, { ...USAGE, is_byok: false, cost: 0.00000735 }),
  routed: true,
  names: 'files',
}
