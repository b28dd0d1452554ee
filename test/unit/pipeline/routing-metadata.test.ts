import { expect, test } from 'bun:test'
import type { Call } from '../../../src/pipeline/call.ts'
import { routingMetadata, wantsMetadata } from '../../../src/pipeline/routing-metadata.ts'
import { createHouseDouble, type HouseSpec } from '../../support/house.ts'
import { ownSecret } from './route/route-kit.ts'
import { callAt, candidatesOf } from './support.ts'

const WANTED = { 'x-openrouter-metadata': 'Enabled' }

async function called(known: Partial<Call>, spec: HouseSpec = { backends: { north: {}, south: {} } }) {
  await using world = createHouseDouble(spec)
  const { call } = callAt(world, { headers: WANTED })
  const plan = candidatesOf(world)
  Object.assign(call, { plan, modelAsked: 'acme/m', model: 'acme/m', ...known })
  return { call, serving: plan[1] ?? null }
}

test('it is for who asks, where answers have a place for it', async () => {
  await using world = createHouseDouble()
  const wants = (surface: 'openai' | 'openrouter', headers: Record<string, string>) => {
    const { call } = callAt(world, { headers })
    return wantsMetadata({ ...call, arrival: { ...call.arrival, request: call.arrival.request, surface } })
  }
  expect(wants('openrouter', WANTED)).toBe(true)
  expect(wants('openrouter', { 'x-openrouter-metadata': 'no' })).toBe(false)
  expect(wants('openrouter', {})).toBe(false)
  expect(wants('openai', WANTED)).toBe(false)
})

test('who could serve, who was passed over, who does', async () => {
  const skip = { offer: 'west/acme/m', backend: 'west', rule: 'enabled', reason: 'the backend is disabled' }
  const { call, serving } = await called({ skips: [skip] })
  expect(routingMetadata(call, serving)).toEqual({
    requested: 'acme/m',
    strategy: 'direct',
    region: null,
    summary: '2 could serve, 1 passed over, served by acme',
    attempt: 1,
    is_byok: false,
    endpoints: {
      total: 3,
      available: [
        { provider: 'acme', model: 'acme/m', selected: false },
        { provider: 'acme', model: 'acme/m', selected: true },
      ],
    },
    attempts: [{ provider: 'acme', model: 'acme/m', status: 200 }],
    params: {},
    pipeline: [],
  })
  expect(routingMetadata(call, null)).toMatchObject({ attempt: 0, attempts: [] })
})

test.each([
  [{ modelAsked: 'anyrouter/auto', router: 'anyrouter/auto' }, 'auto'],
  [{ modelAsked: 'openrouter/free', router: 'anyrouter/free' }, 'free'],
  [{ modelAsked: 'acme/m:floor' }, 'direct'],
  [{ modelAsked: 'short' }, 'alias'],
  [{ modelAsked: 'acme/other', fallbacks: ['acme/m:nitro'] }, 'fallback'],
])('%j is %s', async (known, strategy) => {
  const { call, serving } = await called(known)
  expect(routingMetadata(call, serving)).toMatchObject({ strategy })
})

test('an offer is one, also where it was full, or is tried with two credentials', async () => {
  const skip = { offer: 'north/acme/m', backend: 'north', rule: 'full', reason: 'every slot of the backend is taken' }
  const { call, serving } = await called({ skips: [skip, { ...skip, rule: 'quarantined' }] })
  const [north] = call.plan
  if (north === undefined) throw new Error('no plan')
  Object.assign(call, { plan: [{ ...north, own: ownSecret('cred_1') }, ...call.plan] })
  const available = [
    { provider: 'acme', model: 'acme/m', selected: false },
    { provider: 'acme', model: 'acme/m', selected: true },
  ]
  expect(routingMetadata(call, serving)).toMatchObject({
    summary: '2 could serve, 1 passed over, served by acme',
    endpoints: { total: 2, available },
  })
  expect(routingMetadata(call, call.plan[0] ?? null)).toMatchObject({ is_byok: true })
})

test('each attempt with its provider and status, the region of who serves; neither where backends are hidden', async () => {
  const attempts = [
    { backend: 'north', offer: 'north/acme/m', outcome: 'failed', status: 503 },
    { backend: 'gone', offer: 'gone/acme/m', outcome: 'unsent', status: null },
    { backend: 'south', offer: 'south/acme/m', outcome: 'succeeded', status: 200 },
  ] as unknown as Call['attempts']
  const told = async (spec: HouseSpec) => {
    const { call, serving } = await called({ attempts }, spec)
    if (serving === null) throw new Error('nobody serves')
    const { offer } = serving
    return routingMetadata(call, { ...serving, offer: { ...offer, backend: { ...offer.backend, region: 'ca' } } })
  }
  const backends = { north: {}, south: {} }
  expect(await told({ backends })).toMatchObject({
    region: 'ca',
    attempt: 3,
    attempts: [
      { provider: 'acme', model: 'acme/m', status: 503 },
      { provider: 'gone', model: 'acme/m', status: 0 },
      { provider: 'acme', model: 'acme/m', status: 200 },
    ],
  })
  const hidden = await told({ backends, replies: { hideBackends: true } })
  expect(hidden).toMatchObject({ region: null })
  expect(JSON.stringify(hidden)).not.toMatch(/north|south|gone|"acme"/)
})
