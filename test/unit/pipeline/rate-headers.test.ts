import { expect, test } from 'bun:test'
import { rateHeaders } from '../../../src/pipeline/rate-headers.ts'

const rate = (limit: number, remaining: number, resetMs: number) => ({
  limit,
  remaining,
  resetMs,
  resetAtMs: 1e12 + resetMs,
})

test('OpenAI: three for each limit that there is', () => {
  const rates = { requests: rate(60, 59, 1000), tokens: rate(1000, 0, 60_000) }
  expect(rateHeaders(rates, 'openai')).toEqual({
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '59',
    'x-ratelimit-reset-requests': '1s',
    'x-ratelimit-limit-tokens': '1000',
    'x-ratelimit-remaining-tokens': '0',
    'x-ratelimit-reset-tokens': '1m0s',
  })
  expect(rateHeaders({ requests: null, tokens: null }, 'openrouter')).toEqual({})
})

test.each([
  [0, '0ms'],
  [6, '6ms'],
  [6.5, '7ms'],
  [1001, '2s'],
  [59_000, '59s'],
  [59_001, '1m0s'],
  [361_000, '6m1s'],
])('a reset in %p ms is written %p', (resetMs, text) => {
  const headers = rateHeaders({ requests: rate(1, 0, resetMs), tokens: null }, 'openai')
  expect(headers['x-ratelimit-reset-requests']).toBe(text)
})

test('OpenRouter: three more, of the limit of which the smaller part remains', () => {
  const requests = rate(60, 30, 1000)
  const shown = (tokens: ReturnType<typeof rate> | null) => {
    const headers = rateHeaders({ requests, tokens }, 'openrouter')
    return [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining'], headers['x-ratelimit-reset']]
  }
  expect(shown(null)).toEqual(['60', '30', '1000000001000'])
  expect(shown(rate(1000, 900, 5))).toEqual(['60', '30', '1000000001000'])
  expect(shown(rate(1000, 100, 5))).toEqual(['1000', '100', '1000000000005'])
})
