import { type Offer, priceAt, rateOf, ratesAt } from '../../domain/index.ts'
import type { AskedRequest } from './rule.ts'

/**
 * What a request will likely cost the account with this offer, in nano-dollars and fractions; of an offer without a price what it costs the
 * operator. Null: not known. `cachedTokens`: so much of its prompt the provider keeps since the request before.
 */
export function likelyCost(
  { price, cost, outputTokensMax }: Offer,
  request: AskedRequest | undefined,
  nowMs: number,
  cachedTokens = 0,
): number | null {
  const known = price ?? cost
  if (known === null) return null
  const answer = Math.min(request?.outputLimit ?? OUTPUT_TOKENS, outputTokensMax ?? Number.POSITIVE_INFINITY)
  const output = Math.min(answer, TOKENS_MAX) * Math.min(request?.choices ?? 1, CHOICES_MAX)
  const prompt = likelyPromptTokens(request)
  const now = priceAt(known, nowMs)
  const rates = ratesAt(now, prompt)
  const cached = Math.min(cachedTokens, prompt)
  const input = (prompt - cached) * rateOf(rates, 'input') + cached * rateOf(rates, 'cachedInput')
  return (input + output * rateOf(rates, 'output')) / UNITS_PER_PRICE + (now.perRequest ?? 0)
}

/** Tokens of the prompt, as a guess that is the same for every offer. */
export const likelyPromptTokens = (request: AskedRequest | undefined): number =>
  request === undefined
    ? PROMPT_TOKENS
    : Math.min(Math.ceil(request.promptTextBytes / BYTES_PER_TOKEN + request.promptMediaUnits), TOKENS_MAX)

const UNITS_PER_PRICE = 1_000_000
const BYTES_PER_TOKEN = 4
/** Of a request of which nothing is known, and of an answer without a limit. */
const PROMPT_TOKENS = 1000
const OUTPUT_TOKENS = 1000
/** What a caller asks for may be any number: beyond these nothing comes out differently. */
const TOKENS_MAX = 10_000_000
const CHOICES_MAX = 128
