import { expect, test } from 'bun:test'
import { exposition } from '../../../../src/telemetry/metrics/exposition.ts'
import { type ConcludedRequest, createRequestMetrics } from '../../../../src/telemetry/metrics/request-metrics.ts'
import { readExposition } from '../../../support/exposition.ts'

const REQUEST: ConcludedRequest = {
  operation: 'chat.completions',
  status: 200,
  errorCode: null,
  stream: false,
  startedAtMs: 1000,
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
  attempts: [{ offer: 'north/m', backend: 'north', outcome: 'succeeded', status: 200, absorbed: false }],
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
        { offer: 'south/m', backend: 'south', outcome: 'failed', status: 500, absorbed: true },
        { offer: 'north/m', backend: 'north', outcome: 'unsent', status: null, absorbed: false },
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

test('what became of sessions', () => {
  const kept = { ...REQUEST, stickiness: { kind: 'kept' } } as const
  const scrape = scrapeOf(REQUEST, kept, kept, { ...REQUEST, stickiness: { kind: 'moved' } })
  expect(scrape.value('anyrouter_sticky_total', { result: 'kept' })).toBe(2)
  expect(scrape.value('anyrouter_sticky_total', { result: 'moved' })).toBe(1)
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
  const failed = { offer: 'south/m', backend: 'south', outcome: 'failed', status: 500, absorbed: false } as const
  const north = { offer: 'north/m', backend: 'north', outcome: 'broken', status: null, absorbed: false } as const
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

test('an offer that was not found is known until it serves; no other outcome and no other status makes or ends it', () => {
  const metrics = createRequestMetrics()
  const north = { offer: 'north/m', backend: 'north', outcome: 'refused', status: 404, absorbed: false } as const
  const conclude = (startedAtMs: number, attempt: ConcludedRequest['attempts'][number]): void =>
    metrics.concluded({ ...REQUEST, startedAtMs, status: 404, attempts: [attempt] })
  conclude(1, { ...north, status: 400 })
  conclude(2, { ...north, outcome: 'denied' })
  expect([...metrics.notFound()]).toEqual([])

  conclude(3, north)
  conclude(4, { ...north, offer: 'south/m', backend: 'south' })
  conclude(5, north)
  conclude(6, { ...north, outcome: 'failed', status: 500 })
  const south = { times: 1, lastAtMs: 4 }
  expect(Object.fromEntries(metrics.notFound())).toEqual({ 'north/m': { times: 2, lastAtMs: 5 }, 'south/m': south })

  conclude(7, { ...north, outcome: 'succeeded', status: 200 })
  expect(Object.fromEntries(metrics.notFound())).toEqual({ 'south/m': south })
})

test('accounts’ own places are one label together, and none of them is told as not found', () => {
  const at = (number: number, more: object = {}): ConcludedRequest => ({
    ...REQUEST,
    attempts: [
      {
        offer: `own:cred_${number}/m`,
        backend: `own:cred_${number}`,
        outcome: 'succeeded',
        status: 200,
        absorbed: false,
        ...more,
      },
    ],
  })
  const metrics = createRequestMetrics()
  for (const request of [at(1), at(2), at(3, { outcome: 'refused', status: 404 })]) metrics.concluded(request)
  const scrape = readExposition(exposition(metrics.families()))
  expect(scrape.value('anyrouter_attempts_total', { backend: 'own:*', outcome: 'succeeded' })).toBe(2)
  expect(scrape.value('anyrouter_attempts_total', { backend: 'own:*', outcome: 'refused' })).toBe(1)
  expect([...scrape.values.keys()].filter((name) => name.includes('cred_'))).toEqual([])
  expect(metrics.notFound().size).toBe(0)
})
