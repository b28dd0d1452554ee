import { Type } from '@sinclair/typebox'
import { fields } from '../document/fields.ts'
import { LISTING_ERRORS } from '../document/listing-errors.ts'
import { openObject } from '../document/open-object.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

const percentiles = (description: string) =>
  Type.Union(
    [Type.Object({ p50: Type.Number(), p75: Type.Number(), p90: Type.Number(), p99: Type.Number() }), Type.Null()],
    {
      description,
    },
  )

const dataPolicy = Type.Object(
  {
    retention_days: fields.orNull(Type.Integer(), 'For how many days it keeps what it is sent; 0: not at all.'),
    training: fields.orNull(Type.Boolean(), 'Whether it trains on it.'),
  },
  { title: 'DataPolicy', description: 'As the operator says; null: not said.' },
)

const endpoint = Type.Object(
  {
    name: Type.String(),
    model_id: Type.String(),
    model_name: Type.String(),
    provider_name: Type.String(),
    tag: Type.String({ description: 'What `provider.only` and its like take for it.' }),
    region: fields.orNull(Type.String()),
    data_policy: dataPolicy,
    context_length: Type.Integer({ description: '0: not said.' }),
    max_completion_tokens: fields.orNull(Type.Integer()),
    max_prompt_tokens: Type.Null(),
    pricing: openObject('EndpointPricing', {
      prompt: Type.String(),
      completion: Type.String(),
      request: Type.String(),
      image: Type.String(),
      discount: Type.Number(),
    }),
    quantization: Type.String(),
    supported_parameters: Type.Array(Type.String()),
    supports_tool_choice: Type.Object(
      { none: Type.Boolean(), auto: Type.Boolean(), required: Type.Boolean(), function: Type.Boolean() },
      { description: 'All alike: whether it takes `tool_choice`.' },
    ),
    supports_implicit_caching: Type.Boolean(),
    status: Type.Integer({ description: '0: it is used; -1: it is being proved again; -10: it is out.' }),
    uptime_last_5m: fields.orNull(Type.Number(), 'Percent of attempts that succeeded; null: there was none.'),
    uptime_last_30m: fields.orNull(Type.Number()),
    uptime_last_1d: fields.orNull(Type.Number()),
    latency_last_30m: percentiles('Milliseconds to the first content.'),
    throughput_last_30m: percentiles('Tokens per second.'),
  },
  { title: 'Endpoint' },
)

const ENDPOINT = {
  name: `demo-north | ${SAMPLE_MODEL}`,
  model_id: SAMPLE_MODEL,
  model_name: SAMPLE_MODEL,
  provider_name: 'demo-north',
  tag: 'demo-north/north',
  region: null,
  data_policy: { retention_days: 0, training: false },
  context_length: 32_768,
  max_completion_tokens: 4096,
  max_prompt_tokens: null,
  pricing: { prompt: '0.00000015', completion: '0.0000006', request: '0', image: '0', discount: 0 },
  quantization: 'unknown',
  supported_parameters: ['max_tokens', 'temperature', 'tools', 'tool_choice'],
  supports_tool_choice: { none: true, auto: true, required: true, function: true },
  supports_implicit_caching: false,
  status: 0,
  uptime_last_5m: 100,
  uptime_last_30m: 99.5,
  uptime_last_1d: 99.9,
  latency_last_30m: { p50: 210, p75: 260, p90: 400, p99: 900 },
  throughput_last_30m: { p50: 80, p75: 70, p90: 60, p99: 20 },
}

const model = Type.Object({
  data: Type.Object(
    {
      id: Type.String(),
      name: Type.String(),
      created: Type.Integer(),
      description: Type.String(),
      architecture: openObject('EndpointsArchitecture', {
        modality: Type.String(),
        input_modalities: Type.Array(Type.String()),
        output_modalities: Type.Array(Type.String()),
      }),
      endpoints: Type.Array(endpoint, { description: "In the operator's order. A router model has none of its own." }),
    },
    { title: 'ModelEndpoints' },
  ),
})

const provider = Type.Object(
  {
    name: Type.String(),
    slug: Type.String(),
    headquarters: fields.orNull(Type.String(), 'The country that owns it; null: not said.'),
    datacenters: Type.Array(Type.String(), { description: 'Regions of its backends.' }),
    data_policy: dataPolicy,
    privacy_policy_url: Type.Null(),
    terms_of_service_url: Type.Null(),
    status_page_url: Type.Null(),
  },
  { title: 'ProviderShown' },
)

const common = { tag: 'Models', access: 'key', openrouterAccess: 'key_if_any' } as const

/** What models are offered by, for the document. */
export const offersDoc = {
  model: {
    ...common,
    summary: 'Show who offers a model, how they are doing, and what they cost',
    description:
      'With a key: whom that key may use. An id without a slash, or with several, is understood too. Where the operator hides backends, nobody is named.',
    answer: jsonAnswer(200, 'The model and its offers.', model, {
      data: {
        id: SAMPLE_MODEL,
        name: SAMPLE_MODEL,
        created: 1_789_000_000,
        description: '',
        architecture: { modality: 'text->text', input_modalities: ['text'], output_modalities: ['text'] },
        endpoints: [ENDPOINT],
      },
    }),
    errors: [...LISTING_ERRORS, 'invalid_request', 'model_not_found'],
  },
  zdr: {
    ...common,
    summary: 'List the offers that keep nothing of what they are sent',
    description: 'Of whom the operator says so (`data.retention: none`).',
    answer: jsonAnswer(200, 'Of all models.', Type.Object({ data: Type.Array(endpoint) }), { data: [ENDPOINT] }),
    errors: LISTING_ERRORS,
  },
  providers: {
    ...common,
    summary: 'List the providers',
    description: 'Whose backends are used. Nobody where the operator hides backends.',
    answer: jsonAnswer(200, 'All of them.', Type.Object({ data: Type.Array(provider) }), {
      data: [
        {
          name: 'demo-north',
          slug: 'demo-north',
          headquarters: null,
          datacenters: [],
          data_policy: { retention_days: 0, training: false },
          privacy_policy_url: null,
          terms_of_service_url: null,
          status_page_url: null,
        },
      ],
    }),
    errors: LISTING_ERRORS,
  },
} satisfies Record<string, OperationDoc>
