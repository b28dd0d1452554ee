import { Type } from '@sinclair/typebox'
import { LISTING_ERRORS } from '../document/listing-errors.ts'
import { openObject } from '../document/open-object.ts'
import { type AnswerDoc, jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

const model = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('model'),
    created: Type.Integer({ description: 'Unix seconds.' }),
    owned_by: Type.String({ description: 'The provider of its first offer.' }),
  },
  { title: 'Model' },
)
const list = Type.Object({ object: Type.Literal('list'), data: Type.Array(model) })

const example = { id: SAMPLE_MODEL, object: 'model', created: 1_789_000_000, owned_by: 'demo-north' }

const texts = (...names: string[]) => Object.fromEntries(names.map((name) => [name, Type.String()]))
const count = Type.Union([Type.Integer(), Type.Null()])
const openrouterModel = openObject('OpenRouterModel', {
  id: Type.String(),
  canonical_slug: Type.String(),
  name: Type.String(),
  created: Type.Integer({ description: 'Unix seconds.' }),
  context_length: count,
  architecture: openObject('ModelArchitecture', {
    modality: Type.String(),
    input_modalities: Type.Array(Type.String()),
    output_modalities: Type.Array(Type.String()),
  }),
  pricing: openObject(
    'ModelPricing',
    texts('prompt', 'completion', 'request', 'image'),
    'Dollars for one token or one of what is counted, as decimal digits, at the offer that comes first.',
  ),
  top_provider: openObject('ModelLimits', {
    context_length: count,
    max_completion_tokens: count,
    is_moderated: Type.Boolean(),
  }),
  supported_parameters: Type.Array(Type.String(), {
    description: 'As the operator says; else what nearly every model takes and what its capabilities need.',
  }),
  links: Type.Object({ details: Type.String() }),
})
const openrouterExample = {
  ...example,
  canonical_slug: SAMPLE_MODEL,
  name: SAMPLE_MODEL,
  description: '',
  context_length: 32_768,
  architecture: {
    modality: 'text->text',
    input_modalities: ['text'],
    output_modalities: ['text'],
    tokenizer: 'Other',
    instruct_type: null,
  },
  pricing: { prompt: '0.00000015', completion: '0.0000006', request: '0', image: '0' },
  top_provider: { context_length: 32_768, max_completion_tokens: 4096, is_moderated: false },
  per_request_limits: null,
  supported_parameters: ['max_tokens', 'temperature', 'top_p', 'stop', 'tools', 'tool_choice'],
  default_parameters: null,
  supported_voices: null,
  links: { details: `/api/v1/models/${SAMPLE_MODEL}/endpoints` },
}
const openrouterList: AnswerDoc = jsonAnswer(
  200,
  'In the order of the catalogue.',
  Type.Object({
    data: Type.Array(openrouterModel),
    links: Type.Object({ next: Type.Union([Type.String(), Type.Null()]) }),
    total_count: Type.Integer(),
  }),
  { data: [openrouterExample], links: { next: null }, total_count: 1 },
)

const common = { tag: 'Models', access: 'key' } as const

/** The list and one of it, for the document. */
export const modelsDoc = {
  list: {
    ...common,
    openrouterAccess: 'key_if_any',
    summary: 'List the models that this key may use',
    description:
      'Who sends `anthropic-version` gets the list as Anthropic writes it. Under `/api/v1` no key is needed: then it has all models; `supported_parameters`, `output_modalities`, `q`, `offset` and `limit` in the query choose some.',
    answer: jsonAnswer(200, 'In the order of the catalogue.', list, { object: 'list', data: [example] }),
    openrouterAnswer: openrouterList,
    errors: [...LISTING_ERRORS, 'invalid_request'],
  },
  user: {
    ...common,
    summary: 'List the models that this key may use, for who has one',
    answer: openrouterList,
    errors: [...LISTING_ERRORS, 'invalid_request'],
  },
  ofVectors: {
    ...common,
    openrouterAccess: 'key_if_any',
    summary: 'List the models that make vectors',
    description: 'Of whom the operator says so (`operations: [embeddings]`); the query chooses as in the list of all.',
    answer: openrouterList,
    errors: [...LISTING_ERRORS, 'invalid_request'],
  },
  count: {
    ...common,
    openrouterAccess: 'key_if_any',
    summary: 'Count the models',
    answer: jsonAnswer(200, 'How many there are.', Type.Object({ data: Type.Object({ count: Type.Integer() }) }), {
      data: { count: 3 },
    }),
    errors: LISTING_ERRORS,
  },
  show: {
    ...common,
    openrouterAccess: 'key_if_any',
    summary: 'Show one model',
    answer: jsonAnswer(200, 'The model, under its id.', model, example),
    openrouterAnswer: jsonAnswer(200, 'The model, under its id.', openrouterModel, openrouterExample),
    errors: [...LISTING_ERRORS, 'invalid_request', 'model_not_found'],
  },
  showOne: {
    ...common,
    openrouterAccess: 'key_if_any',
    summary: 'Show one model, as OpenRouter does',
    answer: jsonAnswer(200, 'The model, under its id.', Type.Object({ data: openrouterModel }), {
      data: openrouterExample,
    }),
    errors: [...LISTING_ERRORS, 'invalid_request', 'model_not_found'],
  },
} satisfies Record<string, OperationDoc>
