import { z } from 'zod'
import { type Price, parsePricePerMillion, type Rates } from '../domain/index.ts'
import { tokens } from './whole.ts'

const price = z
  .string('must be a price in USD per million, such as "0.15"')
  .refine((text) => parsePricePerMillion(text) !== null, {
    error: 'must be a price in USD per million: plain decimal digits, at most 7 before the point and 9 after it',
  })
  .transform((text) => parsePricePerMillion(text) ?? 0)

const rates = {
  input: price,
  output: price,
  cached_input: price.optional(),
  cache_write: price.optional(),
  reasoning: price.optional(),
  cache_write_long: price.optional(),
  input_audio: price.optional(),
  cached_input_audio: price.optional(),
  input_image: price.optional(),
  cached_input_image: price.optional(),
  output_audio: price.optional(),
  output_image: price.optional(),
}

/** What is billed by itself. */
const each = {
  per_request: price.optional(),
  per_image: price.optional(),
  per_search: price.optional(),
  per_audio_hour: price.optional(),
  per_million_characters: price.optional(),
}

/** A prompt of at least `from_tokens` is billed, whole, by these. */
const tiers = z
  .array(z.strictObject({ from_tokens: tokens, ...rates }))
  .refine((all) => all.every(({ from_tokens }, at) => from_tokens > (all[at - 1]?.from_tokens ?? 0)), {
    error: 'must be in ascending order of from_tokens',
  })

const PRICE_ERROR = 'must be a set of prices, { input: "0.15", output: "0.60" }, or genai-prices'

type RatesInput = z.output<z.ZodObject<typeof rates>>

const ratesOf = ({ input, output, ...more }: RatesInput): Rates => ({ input, output, ...inCamelCase(more) })

/** The names of the domain, of those that were given. */
const inCamelCase = (given: Readonly<Record<string, number | undefined>>): object =>
  Object.fromEntries(
    Object.entries(given)
      .filter(([, nano]) => nano !== undefined)
      .map(([name, nano]) => [name.replace(/_[a-z]/g, (letter) => letter.charAt(1).toUpperCase()), nano]),
  )

type PriceInput = z.output<z.ZodObject<typeof rates & typeof each>> & { tiers?: z.output<typeof tiers> | undefined }

const priceOf = ({ tiers: steps, input, output, ...more }: PriceInput): Price => ({
  input,
  output,
  ...inCamelCase(more),
  ...(steps === undefined
    ? {}
    : { tiers: steps.map(({ from_tokens, ...tier }) => ({ promptTokensFrom: from_tokens, ...ratesOf(tier) })) }),
})

const PRICE_DATA = 'genai-prices'

/** A set of prices, or where they are to be taken from. */
export const priceSchema = z.union(
  [z.literal(PRICE_DATA), z.strictObject({ ...rates, ...each, tiers: tiers.optional() }).transform(priceOf)],
  PRICE_ERROR,
)

/** The price data in the executable. */
export const FROM_PRICE_DATA = PRICE_DATA
