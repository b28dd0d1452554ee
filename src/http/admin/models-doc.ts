import { Type } from '@sinclair/typebox'
import { fields } from '../document/fields.ts'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'
import { SAMPLE_MODEL } from '../document/sample-model.ts'
import { OFFER, offerSchema } from './shared-schema.ts'

const notFound = Type.Object(
  {
    times: Type.Integer({ description: 'Since the start, or since the offer last served.' }),
    last_at_ms: fields.atMs(),
  },
  { title: 'NotFound' },
)

const listed = Type.Object(
  {
    ...offerSchema.properties,
    not_found: fields.orNull(
      notFound,
      'Its backend answered 404: it may not know the model under `provider_model`. Kept in memory.',
    ),
  },
  { title: 'CatalogueOffer' },
)

const model = Type.Object(
  {
    id: Type.String(),
    aliases: Type.Array(Type.String()),
    context_tokens_max: fields.orNull(Type.Integer()),
    output_tokens_max: fields.orNull(Type.Integer()),
    capabilities: Type.Array(Type.String()),
    offers: Type.Array(listed, { description: "In the operator's order." }),
  },
  { title: 'CatalogueModel' },
)

const router = Type.Object(
  {
    id: Type.String(),
    by: fields.oneOf('needs', 'price', 'order'),
    free_only: Type.Boolean({ description: 'Only offers whose price is zero.' }),
    needs: Type.Record(Type.String(), Type.Array(Type.String()), {
      description: 'Which models come first for which need.',
    }),
    models: Type.Array(Type.String(), { description: 'All that it may take, in its order.' }),
  },
  { title: 'CatalogueRouter' },
)

const catalogue = Type.Object({
  version: Type.Integer({ description: 'Counts reloads.' }),
  ...fields.page(model).properties,
  routers: Type.Array(router),
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
          offers: [{ ...OFFER, not_found: null }],
        },
      ],
      routers: [{ id: 'anyrouter/auto', by: 'needs', free_only: false, needs: {}, models: [SAMPLE_MODEL] }],
      has_more: false,
      next: null,
    }),
  },
} satisfies Record<string, OperationDoc>
