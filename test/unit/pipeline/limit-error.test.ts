import { expect, test } from 'bun:test'
import type { LimitRefusal } from '../../../src/accounts/index.ts'
import { limitError } from '../../../src/pipeline/limit-error.ts'

const refusal = (limit: LimitRefusal['limit'], retryAfterMs: number | null): LimitRefusal => ({
  kind: 'refused',
  limit,
  max: 60,
  retryAfterMs,
  rates: { requests: { limit: 60, remaining: 0, resetMs: 60_000, resetAtMs: 1e12 }, tokens: null },
})

test.each([
  ['requestsPerMinute', 1500, 'requests', true, 'may make 60 requests per minute. Please try again in 2 s.'],
  ['tokensPerMinute', 1500, 'tokens', true, 'may use 60 tokens per minute. Please try again in 2 s.'],
  ['tokensPerMinute', null, 'tokens', false, 'may come to more than the 60 tokens'],
  ['concurrency', 1000, 'requests', true, 'may have 60 requests in progress at once'],
] as const)('%s, again in %p ms', (limit, retryAfterMs, publicType, retryable, words) => {
  const error = limitError(refusal(limit, retryAfterMs), 'openai')
  expect(error).toMatchObject({ code: 'rate_limit_exceeded', status: 429, retryable, details: { publicType } })
  expect(error.message).toContain(words)
  expect(error.details.retryAfterMs).toBe(retryAfterMs ?? undefined)
  expect(error.details.headers).toMatchObject({ 'x-ratelimit-remaining-requests': '0' })
})
