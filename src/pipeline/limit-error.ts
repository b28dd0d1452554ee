import type { LimitRefusal } from '../accounts/index.ts'
import type { SurfaceName } from '../dialects/index.ts'
import { GatewayError } from '../domain/index.ts'
import { rateHeaders } from './rate-headers.ts'

/** The 429 of a request that meets a limit of its key, with where the key stands. */
export function limitError(refusal: LimitRefusal, surface: SurfaceName): GatewayError {
  const { limit, retryAfterMs, rates } = refusal
  return new GatewayError('rate_limit_exceeded', messageOf(refusal), {
    publicType: limit === 'tokensPerMinute' ? 'tokens' : 'requests',
    ...(retryAfterMs === null ? { retryable: false } : { retryAfterMs }),
    headers: rateHeaders(rates, surface),
  })
}

function messageOf({ limit, max, retryAfterMs }: LimitRefusal): string {
  switch (limit) {
    case 'requestsPerMinute':
      return `Rate limit reached: this key may make ${max} requests per minute. Please try again in ${secondsOf(retryAfterMs)} s.`
    case 'tokensPerMinute':
      return retryAfterMs === null
        ? `This request may come to more than the ${max} tokens that this key may use per minute. Shorten it, or ask for fewer tokens.`
        : `Rate limit reached: this key may use ${max} tokens per minute. Please try again in ${secondsOf(retryAfterMs)} s.`
    case 'concurrency':
      return `This key may have ${max} requests in progress at once. Please try again when one of them has ended.`
  }
}

const secondsOf = (durationMs: number | null): number => Math.ceil((durationMs ?? 0) / 1000)
