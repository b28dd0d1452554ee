import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'

const nano = Type.Optional(Type.Integer({ description: 'Nano-dollars.' }))
const usd = Type.Optional(Type.String({ description: 'Decimal dollars.' }))

const rates = {
  input: Type.Integer({ description: 'Nano-dollars.' }),
  input_usd: Type.String({ description: 'Decimal dollars.' }),
  output: Type.Integer({ description: 'Nano-dollars.' }),
  output_usd: Type.String({ description: 'Decimal dollars.' }),
  cached_input: nano,
  cached_input_usd: usd,
  cache_write: nano,
  cache_write_usd: usd,
  reasoning: nano,
  reasoning_usd: usd,
}

const price = Type.Object(
  {
    ...rates,
    per_request: nano,
    per_request_usd: usd,
    tiers: Type.Optional(
      Type.Array(Type.Object({ prompt_tokens_from: Type.Integer(), ...rates }), {
        description: 'The last one that the prompt reaches prices the whole request.',
      }),
    ),
  },
  { title: 'Price', description: 'Per million units, but for `per_request`.' },
)

/** An offer as `offerView` shows it. */
export const offerSchema = Type.Object(
  {
    offer: Type.String(),
    backend: Type.String(),
    provider: Type.String(),
    provider_model: Type.String({ description: 'Its id at the provider.' }),
    enabled: Type.Boolean(),
    region: fields.orNull(Type.String()),
    price: fields.orNull(price, 'What accounts pay; null: unmetered accounts alone are served.'),
    cost: fields.orNull(price, 'What the provider bills; null: unknown.'),
  },
  { title: 'Offer' },
)

export const OFFER = {
  offer: examples.offer,
  backend: 'north',
  provider: 'demo-north',
  provider_model: 'fast',
  enabled: true,
  region: null,
  price: { input: 150_000_000, output: 600_000_000, input_usd: '0.15', output_usd: '0.60' },
  cost: null,
}

const model = Type.Object(
  {
    id: Type.String(),
    aliases: Type.Array(Type.String()),
    context_tokens_max: fields.orNull(Type.Integer()),
    output_tokens_max: fields.orNull(Type.Integer()),
    capabilities: Type.Array(Type.String()),
    offers: Type.Array(offerSchema, { description: "In the operator's order." }),
  },
  { title: 'CatalogueModel' },
)

const catalogue = Type.Object({
  version: Type.Integer({ description: 'Counts reloads.' }),
  ...fields.page(model).properties,
})

/** `/models` for the document. */
export const modelsDoc = {
  list: {
    tag: 'Catalogue',
    access: 'management',
    summary: 'List models with their offers and prices',
    answer: jsonAnswer(200, 'All of them.', catalogue, {
      version: 1,
      data: [
        {
          id: SAMPLE_MODEL,
          aliases: [],
          context_tokens_max: 32_768,
          output_tokens_max: 4096,
          capabilities: ['tools'],
          offers: [OFFER],
        },
      ],
      has_more: false,
      next: null,
    }),
  },
} satisfies Record<string, OperationDoc>
