import { expect, test } from 'bun:test'
import { bearer, startGateway } from '../support/gateway.ts'
import { rawRequest } from '../support/raw-client.ts'
import { json } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { balanceOf, errorOf, settlementOf } from '../support/wire-chat.ts'
import { operate, operationWorld } from '../support/wire-operations.ts'

const PATH = '/v1/moderations'
const RESULTS = [{ flagged: true, categories: { violence: true }, category_scores: { violence: 0.99 } }]
const JUDGEMENT = { id: 'modr-1', model: 'provider-m1', results: RESULTS }
const FREE = { input: '0', output: '0' }

test('a judgement is passed on, for nothing where it is free', async () => {
  await using world = await operationWorld({ price: FREE }, json(JUDGEMENT))
  expect(await operate(world.gateway, PATH, { input: ['I kill you'] }).json()).toEqual({ ...JUDGEMENT, model: 'm1' })
  const request = await world.provider.arrived()
  expect(request.target).toBe('/v1/moderations')
  expect(request.json()).toEqual({ input: ['I kill you'], model: 'provider-m1' })
  expect(await balanceOf(world.gateway)).toBe(1_000_000_000)
})

test('without a model OpenAI’s default is meant, and named to the provider', async () => {
  await using provider = await scriptedProvider()
  provider.script(json(JUDGEMENT))
  await using gateway = await startGateway({ offers: { 'omni-moderation-latest': [{ provider, price: FREE }] } })
  for (const json of [{ input: 'a' }, { model: null, input: 'a' }]) {
    const answer = rawRequest(gateway.origin, { path: PATH, headers: bearer(gateway), json })
    expect(await answer.json()).toMatchObject({ model: 'omni-moderation-latest', results: RESULTS })
  }
  for (const request of provider.requests)
    expect(request.json()).toEqual({ input: 'a', model: 'provider-omni-moderation-latest' })
})

test('a price per request is charged; one of tokens alone does not serve who pays before', async () => {
  await using world = await operationWorld({ price: { ...FREE, per_request: '0.001' } }, json(JUDGEMENT))
  await operate(world.gateway, PATH, { input: 'a' }).text()
  expect(await settlementOf(world.gateway)).toMatchObject({ charged_nano: 1_000_000 })
  await using other = await operationWorld({}, json(JUDGEMENT))
  expect(await errorOf(operate(other.gateway, PATH, { input: 'a' }))).toMatchObject({
    status: 503,
    code: 'no_backend',
    message: expect.stringContaining('no price per request'),
  })
})

test('on /api/v1 the marks and the cost are told', async () => {
  await using world = await operationWorld({ price: { ...FREE, per_request: '0.001' } }, json(JUDGEMENT))
  expect(await operate(world.gateway, '/api/v1/moderations', { input: 'a' }).json()).toEqual({
    id: expect.stringMatching(/^gen-/),
    provider: 'mock',
    model: 'm1',
    results: RESULTS,
    usage: expect.objectContaining({ is_byok: false, cost: 0.001 }),
  })
})
