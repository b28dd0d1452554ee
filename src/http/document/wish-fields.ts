import { Type } from '@sinclair/typebox'
import { QUANTIZATIONS, SORTS } from '../../domain/index.ts'
import { openObject, optional } from './open-object.ts'

const names = (description: string) => optional(Type.Array(Type.String(), { description }))
const oneOf = (words: readonly string[], description: string) =>
  Type.Unsafe<string>({ type: 'string', enum: [...words], description })
const price = (description: string) =>
  optional(Type.Union([Type.Number({ minimum: 0 }), Type.String()], { description }))
const percentiles = Type.Object({
  p50: optional(Type.Number()),
  p75: optional(Type.Number()),
  p90: optional(Type.Number()),
  p99: optional(Type.Number()),
})
const bound = (description: string) => optional(Type.Union([Type.Number(), percentiles], { description }))

const maxPrice = Type.Object(
  {
    prompt: price('Dollars per million tokens.'),
    completion: price('Dollars per million tokens.'),
    request: price('Dollars.'),
    image: price('Dollars for each.'),
    audio: price('Dollars per million tokens of sound.'),
  },
  { description: 'What is dearer is not used.' },
)

const provider = openObject(
  'ProviderPreferences',
  {
    order: names('These first, in this order: `acme`, `acme/ca` (a region), or the name of a backend.'),
    only: names('These alone.'),
    ignore: names('None of these.'),
    allow_fallbacks: optional(
      Type.Boolean({ description: 'False: only what `order` names; without it, only the first choice.' }),
    ),
    require_parameters: optional(
      Type.Boolean({ description: 'Only who is known to know every optional parameter of the request.' }),
    ),
    data_collection: optional(oneOf(['allow', 'deny'], '`deny`: nobody who may train on it.')),
    zdr: optional(Type.Boolean({ description: 'Only who keeps nothing of it.' })),
    quantizations: optional(Type.Array(oneOf(QUANTIZATIONS, 'How weights are stored.'))),
    sort: optional(
      Type.Union([
        oneOf(SORTS, 'The best by this first.'),
        Type.Object({
          by: oneOf(SORTS, 'As above.'),
          partition: optional(oneOf(['model', 'none'], '`none`: across all models.')),
        }),
      ]),
    ),
    max_price: optional(maxPrice),
    preferred_max_latency: bound('Seconds to the first content. Only orders.'),
    preferred_min_throughput: bound('Tokens per second. Only orders.'),
  },
  'Obeyed strictly, but `preferred_*`, which orders: what cannot be met is a 4xx that lists every skip.',
)

/** Fields of a request that are for the gateway alone. */
export const WISH_FIELDS = {
  models: optional(
    Type.Array(Type.String(), { maxItems: 16, description: 'Models to fall back on, in order. Variants are fine.' }),
  ),
  provider: optional(provider),
  session_id: optional(Type.String({ maxLength: 256, description: 'Requests of one session stay with one backend.' })),
}
