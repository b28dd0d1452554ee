import { expect, test } from 'bun:test'
import { exposition } from '../../../../src/telemetry/metrics/exposition.ts'
import { type ConcludedRequest, createRequestMetrics } from '../../../../src/telemetry/metrics/request-metrics.ts'
import { readExposition } from '../../../support/exposition.ts'

const REQUEST: ConcludedRequest = {
  operation: 'chat.completions',
  status: 200,
  errorCode: null,
  stream: false,
  timing: {
    gwUs: 300,
    stages: [
      ['recv', 100],
      ['wait', 200],
    ],
    totalUs: 60_000,
    endedUs: 900_000,
  },
  skips: [],
  attempts: [{ backend: 'north', outcome: 'succeeded', absorbed: false }],
}

function scrapeOf(...requests: readonly ConcludedRequest[]) {
  const metrics = createRequestMetrics()
  for (const request of requests) metrics.concluded(request)
  return readExposition(exposition(metrics.families()))
}

test('nothing yet: no series but that of the whole of gw', () => {
  const { values } = scrapeOf()
  expect([...values].filter(([, value]) => value !== 0)).toEqual([])
})

test('requests by operation and status, attempts by backend and outcome, skips by rule', () => {
  const scrape = scrapeOf(
    REQUEST,
    REQUEST,
    {
      ...REQUEST,
      status: 502,
      errorCode: 'provider_failed',
      skips: [{ rule: 'quarantined' }, { rule: 'quarantined' }, { rule: 'priced' }],
    },
    {
      ...REQUEST,
      attempts: [
        { backend: 'south', outcome: 'failed', absorbed: true },
        { backend: 'north', outcome: 'unsent', absorbed: false },
      ],
    },
  )
  const chat = { operation: 'chat.completions' }
  expect(scrape.value('anyrouter_requests_total', { ...chat, status: '200' })).toBe(3)
  expect(scrape.value('anyrouter_requests_total', { ...chat, status: '502' })).toBe(1)
  expect(scrape.value('anyrouter_request_seconds_count', chat)).toBe(4)
  expect(scrape.value('anyrouter_errors_total', { code: 'provider_failed' })).toBe(1)
  expect(scrape.value('anyrouter_attempts_total', { backend: 'north', outcome: 'succeeded' })).toBe(3)
  expect(scrape.value('anyrouter_attempts_total', { backend: 'north', outcome: 'unsent' })).toBe(1)
  expect(scrape.value('anyrouter_attempts_total', { backend: 'south', outcome: 'failed' })).toBe(1)
  expect(scrape.value('anyrouter_attempts_absorbed_total', { backend: 'south' })).toBe(1)
  expect(scrape.value('anyrouter_attempts_absorbed_total', { backend: 'north' })).toBe(0)
  expect(scrape.value('anyrouter_skips_total', { rule: 'quarantined' })).toBe(2)
  expect(scrape.value('anyrouter_skips_total', { rule: 'priced' })).toBe(1)
})

test('gw as a whole and by stage, in seconds', () => {
  const scrape = scrapeOf(REQUEST, { ...REQUEST, timing: { ...REQUEST.timing, gwUs: 100, stages: [['recv', 100]] } })
  expect(scrape.value('anyrouter_gw_seconds_sum')).toBe(0.0004)
  expect(scrape.value('anyrouter_gw_seconds_bucket', { le: '0.0001' })).toBe(1)
  expect(scrape.value('anyrouter_gw_seconds_bucket', { le: '0.0005' })).toBe(2)
  expect(scrape.value('anyrouter_gw_stage_seconds_count', { stage: 'recv' })).toBe(2)
  expect(scrape.value('anyrouter_gw_stage_seconds_sum', { stage: 'wait' })).toBe(0.0002)
})

test('the time to the first content: of streams that were served, at the backend that served', () => {
  const failed = { backend: 'south', outcome: 'failed', absorbed: false } as const
  const north = { backend: 'north', outcome: 'broken', absorbed: false } as const
  const scrape = scrapeOf(
    REQUEST,
    { ...REQUEST, stream: true, attempts: [failed, north] },
    { ...REQUEST, stream: true, status: 502, attempts: [failed] },
    { ...REQUEST, stream: true, errorCode: 'provider_failed', attempts: [{ ...north, outcome: 'succeeded' }, failed] }, // after a heartbeat
  )
  expect(scrape.value('anyrouter_first_content_seconds_count', { backend: 'north' })).toBe(1)
  expect(scrape.value('anyrouter_first_content_seconds_sum', { backend: 'north' })).toBe(0.06)
  expect(scrape.value('anyrouter_first_content_seconds_count', { backend: 'south' })).toBe(0)
})
