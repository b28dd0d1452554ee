import { expect, test } from 'bun:test'
import { stampedUsage } from '../../../../src/dialects/openai/stamped-usage.ts'
import { money, NO_USAGE } from '../../../../src/domain/index.ts'

const costing = (nano: number) => ({ cost: () => money(nano), isByok: false })

const USAGE = { input: 70, cachedInput: 20, cacheWrite: 10, output: 40, reasoning: 5 }

test('the figures that are billed, and the cost to the last digit', () => {
  const json = stampedUsage(null, USAGE, costing(Number.MAX_SAFE_INTEGER))
  expect(json).toContain('"cost":9007199.254740991}')
  expect(JSON.parse(stampedUsage(null, USAGE, { ...costing(7), isByok: true }))).toEqual({
    prompt_tokens: 100,
    completion_tokens: 45,
    total_tokens: 145,
    prompt_tokens_details: { cached_tokens: 20 },
    completion_tokens_details: { reasoning_tokens: 5 },
    is_byok: true,
    cost: 0.000000007,
  })
})

test('what else the provider reports stays, but for nulls and for its own prices', () => {
  const given = {
    prompt_tokens: 1,
    prompt_tokens_details: { cached_tokens: null, audio_tokens: 3 },
    completion_tokens_details: { reasoning_tokens: 9, audio_tokens: 4 },
    cost: 9,
    cost_details: { upstream_inference_cost: 1 },
    is_byok: true,
    queue_time: 0.5,
    nothing: null,
  }
  expect(JSON.parse(stampedUsage(given, NO_USAGE, costing(0)))).toEqual({
    queue_time: 0.5,
    prompt_tokens: 0,
    completion_tokens: 0,
    total_tokens: 0,
    prompt_tokens_details: { audio_tokens: 3, cached_tokens: 0 },
    completion_tokens_details: { audio_tokens: 4, reasoning_tokens: 0 },
    is_byok: false,
    cost: 0,
  })
})

test('what is no object is none', () => {
  for (const given of [[], 'x', 7, undefined])
    expect(stampedUsage(given, USAGE, costing(0))).toBe(stampedUsage(null, USAGE, costing(0)))
})
