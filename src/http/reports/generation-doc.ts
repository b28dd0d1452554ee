import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

const textOrNull = (description?: string) => fields.orNull(Type.String(), description)
const countOrNull = (description?: string) => fields.orNull(Type.Integer(), description)
const ms = (description?: string) => Type.Number(description === undefined ? {} : { description })
const NOTHING = Type.Null({ description: 'There is no such thing here.' })

const attempt = Type.Object({
  provider_name: textOrNull('Null where backends are hidden.'),
  outcome: Type.String({ description: 'As in the records of the admin API.' }),
  reason: textOrNull(),
  status: countOrNull("The provider's."),
  latency: ms('From its beginning to its end.'),
  first_byte: fields.orNull(Type.Number(), 'From the request’s last byte to the answer’s first.'),
  connection: fields.oneOf('new', 'kept', 'resent', 'unsent'),
})

const timing = Type.Object(
  {
    gw: ms('The gateway.'),
    upstream: ms('The provider.'),
    post: ms('The rest: gw + upstream + post = total, as in `Server-Timing`.'),
    total: ms('Until the answer began.'),
    ended: ms('Until it ended.'),
    stages: Type.Record(Type.String(), Type.Number(), { description: 'They sum to `gw`.' }),
  },
  { title: 'TimingMs', description: 'In milliseconds.' },
)

const generation = Type.Object(
  {
    id: fields.id('gen-'),
    request_id: fields.id('req_'),
    upstream_id: textOrNull("The provider's own id of the request."),
    client_request_id: textOrNull("The caller's own `x-request-id`."),
    created_at: Type.String({ description: 'ISO 8601.' }),
    model: textOrNull(),
    model_asked: textOrNull('As the caller named it.'),
    provider_name: textOrNull('Who served it; null where backends are hidden.'),
    provider_responses: Type.Array(attempt, { description: 'Every attempt, in order.' }),
    api_type: Type.String({ description: 'The operation.' }),
    router: textOrNull('The router that it was sent to.'),
    streamed: Type.Boolean(),
    cancelled: Type.Boolean({ description: 'The caller left before the whole answer was delivered.' }),
    status: Type.Integer({ description: '499: the caller left before the answer.' }),
    error_code: textOrNull(),
    finish_reason: textOrNull("Why the answer ended, in OpenAI's words."),
    native_finish_reason: textOrNull("In the provider's."),
    tokens_prompt: Type.Integer(),
    tokens_completion: Type.Integer(),
    native_tokens_prompt: Type.Integer(),
    native_tokens_completion: Type.Integer(),
    native_tokens_reasoning: Type.Integer(),
    native_tokens_cached: Type.Integer(),
    native_tokens_completion_images: countOrNull(),
    usage_source: fields.orNull(fields.oneOf('reported', 'estimate', 'recovered'), 'Who counted.'),
    usage: fields.dollars('What the account paid.'),
    cost: fields.dollars('As `usage`.'),
    total_cost: fields.dollars('As `usage`.'),
    upstream_inference_cost: fields.orNull(Type.Number(), "What the account's own provider bills; null: not known."),
    cache_discount: NOTHING,
    is_byok: Type.Boolean({ description: "Sent with the account's own credential." }),
    latency: Type.Integer({ description: 'Until the answer began, in ms.' }),
    generation_time: Type.Integer({
      description: 'From when the gateway was ready to send, to the end of the answer, in ms.',
    }),
    moderation_latency: NOTHING,
    timing,
    session_id: textOrNull(),
    http_referer: textOrNull('The caller’s `HTTP-Referer`.'),
    app_title: textOrNull('The caller’s `X-Title`.'),
    user_agent: textOrNull(),
    origin: Type.String({ description: 'As `http_referer`, empty when there is none.' }),
    app_id: NOTHING,
    external_user: NOTHING,
    preset_id: NOTHING,
    service_tier: NOTHING,
    data_region: textOrNull('Where the backend that served it runs; null where backends are hidden.'),
    num_media_prompt: NOTHING,
    num_media_completion: NOTHING,
    num_search_results: NOTHING,
  },
  { title: 'Generation' },
)

const GENERATION = {
  id: examples.generationId,
  request_id: examples.requestId,
  upstream_id: 'req-7Q',
  client_request_id: null,
  created_at: '2026-09-10T00:26:40.000Z',
  model: SAMPLE_MODEL,
  model_asked: SAMPLE_MODEL,
  provider_name: 'demo-north',
  provider_responses: [
    {
      provider_name: 'demo-north',
      outcome: 'succeeded',
      reason: null,
      status: 200,
      latency: 21.45,
      first_byte: 21.1,
      connection: 'kept',
    },
  ],
  api_type: 'chat.completions',
  router: null,
  streamed: false,
  cancelled: false,
  status: 200,
  error_code: null,
  finish_reason: 'stop',
  native_finish_reason: 'stop',
  tokens_prompt: 9,
  tokens_completion: 10,
  native_tokens_prompt: 9,
  native_tokens_completion: 10,
  native_tokens_reasoning: 0,
  native_tokens_cached: 0,
  native_tokens_completion_images: null,
  usage_source: 'reported',
  usage: 0.00000735,
  cost: 0.00000735,
  total_cost: 0.00000735,
  upstream_inference_cost: null,
  cache_discount: null,
  is_byok: false,
  latency: 22,
  generation_time: 22,
  moderation_latency: null,
  timing: {
    gw: 0.25,
    upstream: 21.37,
    post: 0.12,
    total: 21.74,
    ended: 21.76,
    stages: { recv: 0.05, auth: 0.03, ctx: 0.02, prep: 0.06, route: 0.05, hold: 0.04, wait: 0 },
  },
  session_id: null,
  http_referer: null,
  app_title: null,
  user_agent: 'OpenAI/Python 2.1.0',
  origin: '',
  app_id: null,
  external_user: null,
  preset_id: null,
  service_tier: null,
  data_region: null,
  num_media_prompt: null,
  num_media_completion: null,
  num_search_results: null,
}

/** `/generation` for the document. */
export const generationDoc: OperationDoc = {
  tag: 'Records',
  access: 'key',
  summary: 'Tell of one request: its cost, its tokens, where its time went',
  description:
    'There from the moment its answer has ended, to the account that paid; by a management key, of every account. No prompts, no answers.',
  answer: jsonAnswer(200, 'The request.', Type.Object({ data: generation }), { data: GENERATION }),
  errors: ['address_not_permitted', 'account_disabled', 'insufficient_scope', 'invalid_request', 'not_found'],
}
