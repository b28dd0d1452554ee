import { Type } from '@sinclair/typebox'
import { examples } from '../document/examples.ts'
import { fields } from '../document/fields.ts'

const rare = (description?: string) => Type.Optional(Type.Integer(description === undefined ? {} : { description }))

/** Tokens by kind; the kinds do not overlap. */
export const usageSchema = Type.Object(
  {
    input: Type.Integer({ description: 'Prompt tokens that were not in a cache.' }),
    cached_input: Type.Integer(),
    cache_write: Type.Integer(),
    output: Type.Integer({ description: 'Without reasoning.' }),
    reasoning: Type.Integer(),
    cache_write_long: rare('Written to a cache that keeps it for an hour.'),
    input_audio: rare(),
    cached_input_audio: rare(),
    input_image: rare(),
    cached_input_image: rare(),
    output_audio: rare(),
    output_image: rare(),
    images: rare('Pictures that are billed each.'),
    audio_ms: rare('Sound that is billed by its length.'),
    characters: rare('Of text to be spoken.'),
    searches: rare(),
  },
  { title: 'TokenUsage', description: 'Kinds that few requests have are told where they have any.' },
)

/** How a request's money ended. */
export const endFields = {
  end: fields.oneOf('settled', 'voided'),
  reason: Type.String({ description: 'Why it ended so, e.g. `completed`, `no_answer`.' }),
  usage: usageSchema,
  usage_source: fields.orNull(fields.oneOf('reported', 'estimate', 'recovered'), 'Who counted.'),
}

const nano = Type.Optional(Type.Integer({ description: 'Nano-dollars.' }))
const usd = Type.Optional(Type.String({ description: 'Decimal dollars.' }))

function ofRareKinds(names: readonly string[]): Record<string, typeof nano | typeof usd> {
  return Object.fromEntries(names.flatMap((name) => [[name, nano] as const, [`${name}_usd`, usd] as const]))
}

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
  ...ofRareKinds([
    'cache_write_long',
    'input_audio',
    'cached_input_audio',
    'input_image',
    'cached_input_image',
    'output_audio',
    'output_image',
  ]),
}

const basePrice = Type.Object(
  {
    ...rates,
    per_request: nano,
    per_request_usd: usd,
    ...ofRareKinds(['per_image', 'per_search', 'per_audio_hour', 'per_million_characters']),
    tiers: Type.Optional(
      Type.Array(Type.Object({ prompt_tokens_from: Type.Integer(), ...rates }), {
        description: 'The last one that the prompt reaches prices the whole request.',
      }),
    ),
  },
  { title: 'BasePrice', description: 'Per million units, but for those whose name begins with `per_`.' },
)

const price = Type.Composite(
  [
    basePrice,
    Type.Object({
      times: Type.Optional(
        Type.Array(
          Type.Object({
            from_ms: fields.atMs('From then on.'),
            from_ms_of_day: Type.Optional(Type.Integer({ description: 'At these hours of each day (UTC) alone.' })),
            until_ms_of_day: Type.Optional(Type.Integer()),
            price: basePrice,
          }),
          { description: 'Prices of other times; of those whose time it is the last one holds.' },
        ),
      ),
    }),
  ],
  { title: 'Price', description: 'Per million units, but for those whose name begins with `per_`.' },
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
    operations: fields.orNull(Type.Array(Type.String()), 'What it can be asked; null: not said, the provider judges.'),
    capabilities: fields.orNull(Type.Array(Type.String()), 'What the model can do there; null: not said.'),
    parameters: fields.orNull(Type.Array(Type.String()), 'Optional parameters that it knows; null: not said.'),
    quantization: fields.orNull(Type.String(), 'How its weights are stored; null: not said.'),
    weight: Type.Number({ description: 'Its share when requests are spread by weight.' }),
    price: fields.orNull(price, 'What accounts pay; null: unmetered accounts alone are served.'),
    cost: fields.orNull(price, 'What the provider bills; null: unknown.'),
  },
  { title: 'Offer' },
)

/** The example of it. */
export const OFFER = {
  offer: examples.offer,
  backend: 'north',
  provider: 'demo-north',
  provider_model: 'fast',
  enabled: true,
  region: null,
  operations: null,
  capabilities: ['tools'],
  parameters: null,
  quantization: 'fp8',
  weight: 1,
  price: { input: 150_000_000, output: 600_000_000, input_usd: '0.15', output_usd: '0.60' },
  cost: null,
}

/** A candidate passed over. */
export const skipSchema = Type.Object(
  {
    offer: Type.String(),
    backend: Type.String(),
    credential: Type.Optional(
      Type.String({ description: "The account's own credential that it would have been tried with." }),
    ),
    rule: Type.String(),
    reason: Type.String(),
    evidence: Type.Optional(Type.String()),
    until_ms: Type.Optional(fields.atMs('When the reason ends by itself, in Unix milliseconds.')),
  },
  { title: 'Skip' },
)

/** Why a backend is out, field by field: of all causes the one that lasts longest. */
export const whyOut = {
  cause: fields.oneOf('operator', 'failures', 'throttle', 'credentials'),
  reason: Type.String(),
  by: fields.orNull(
    Type.String(),
    'The operator who set it: `local:<uid>`, or a management key. Null: the gateway found it out.',
  ),
  since_ms: fields.atMs(),
  until_ms: fields.orNull(fields.atMs(), 'Null: until it is cleared.'),
}

/** The same as one value, as `quarantineView` shows it. */
export const quarantineSchema = Type.Object(whyOut, { title: 'Quarantine' })

/** Whether a backend may be sent requests. */
export const healthState = fields.oneOf('in', 'half_open', 'out')
