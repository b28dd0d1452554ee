import { expect, test } from 'bun:test'
import { endedInTurn } from '../support/ended-in-turn.ts'
import { bearer, startGateway } from '../support/gateway.ts'
import { rawRequest } from '../support/raw-client.ts'
import { status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, finish, role, sse, text, usage } from '../support/sse.ts'
import { chat, eventually, keyWith } from '../support/wire-chat.ts'

const NORTH = { id: 'acme', ownership: 'ca', data: { retention: 'none' } }

async function world(yaml: Record<string, Record<string, unknown>> = {}) {
  const provider = await scriptedProvider()
  const gateway = await startGateway({
    offers: {
      'a/one': [
        { provider, id: 'acme-ca', of: NORTH, backend: { region: 'ca' }, offer: { quantization: 'fp8' } },
        { provider, id: 'acme-off', of: NORTH, backend: { enabled: false } },
        { provider, id: 'other', of: { id: 'other' }, offer: { parameters: ['seed'], weight: 2 } },
      ],
      plain: [{ provider, id: 'other2', of: { id: 'other' } }],
    },
    yaml,
  })
  const get = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = rawRequest(gateway.origin, { method: 'GET', path, headers })
    return { status: (await answer.head()).status, body: JSON.parse(await answer.text()) }
  }
  return {
    provider,
    gateway,
    get,
    ...endedInTurn(gateway, provider),
  }
}

test('the offers of a model: what they are, cost and do', async () => {
  await using places = await world()
  const { get, gateway, provider } = places
  provider.script(sse(role(), text('a'), finish(), usage(1, 1), done()), status(500), completion('ok', 1, 1))
  await chat(gateway, { model: 'a/one', stream: true }).text()
  await chat(gateway, { model: 'a/one' }).text()
  await gateway.admin('PUT', '/quarantine/other', { for_ms: 60_000, reason: 'a flood' })
  const { body } = await get('/api/v1/models/a/one/endpoints')
  expect(body.data).toMatchObject({ id: 'a/one', name: 'a/one', architecture: { output_modalities: ['text'] } })
  expect(body.data.endpoints).toHaveLength(2)
  expect(body.data.endpoints).toMatchObject([
    {
      name: 'acme | a/one',
      provider_name: 'acme',
      tag: 'acme/acme-ca',
      region: 'ca',
      data_policy: { retention_days: 0, training: null },
      quantization: 'fp8',
      context_length: 128_000,
      max_completion_tokens: 4096,
      pricing: { prompt: '0.000004', completion: '0.00001', input_cache_read: '0.000001' },
      supports_implicit_caching: true,
      status: 0,
    },
    {
      ...{ tag: 'other', quantization: 'unknown', supported_parameters: ['seed'], status: -10, latency_last_30m: null },
      supports_tool_choice: { none: false, auto: false, required: false, function: false },
    },
  ])
  expect(Object.keys(body.data.endpoints[0])).toContain('throughput_last_30m')
  for (const path of ['/api/v1/models/a%2Fone/endpoints', '/api/v1/models/plain/endpoints'])
    expect((await get(path)).body.data.endpoints.length).toBeGreaterThan(0)
  expect(await get('/api/v1/models/anyrouter/auto/endpoints')).toMatchObject({
    status: 200,
    body: { data: { endpoints: [] } },
  })
  for (const path of ['/api/v1/models/a/none/endpoints', '/v1/models/a/one/endpoints'])
    expect((await get(path, { authorization: `Bearer ${gateway.key}` })).status).toBe(404)
})

test('times and successes are those that were observed', async () => {
  await using places = await world()
  const { get, gateway, provider } = places
  provider.script(sse(role(), text('a'), finish(), usage(1, 1), done()), status(500), completion('ok', 1, 1))
  await chat(gateway, { model: 'a/one', stream: true }).text()
  await chat(gateway, { model: 'a/one' }).text()
  const first = await eventually(async () => {
    const [shown] = (await get('/api/v1/models/a/one/endpoints')).body.data.endpoints
    return shown.uptime_last_30m === 50 ? shown : undefined // it is looked at once a second
  })
  expect(first).toMatchObject({ uptime_last_5m: 50, uptime_last_1d: 50, latency_last_30m: { p50: expect.any(Number) } })
})

test('providers, and the offers that keep nothing', async () => {
  await using places = await world()
  const { get, gateway } = places
  expect((await get('/api/v1/providers')).body.data).toMatchObject([
    {
      name: 'acme',
      slug: 'acme',
      headquarters: 'CA',
      datacenters: ['ca'],
      data_policy: { retention_days: 0, training: null },
    },
    {
      name: 'other',
      slug: 'other',
      headquarters: null,
      datacenters: [],
      data_policy: { retention_days: null, training: null },
    },
  ])
  expect((await get('/api/v1/endpoints/zdr')).body.data).toMatchObject([{ model_id: 'a/one', tag: 'acme/acme-ca' }])
  const { headers } = await keyWith(gateway, { models: ['plain'] })
  expect((await get('/api/v1/endpoints/zdr', headers)).body.data).toEqual([])
  expect((await get('/api/v1/models/a/one/endpoints', headers)).status).toBe(404)
  expect((await get('/v1/providers', headers)).status).toBe(404)
})

test('hidden backends are not named', async () => {
  await using places = await world({ replies: { hide_backends: true } })
  const { get } = places
  const shown = await Promise.all(
    ['/api/v1/models/a/one/endpoints', '/api/v1/endpoints/zdr', '/api/v1/providers'].map((path) => get(path)),
  )
  expect(shown[0]?.body.data.endpoints[0]).toMatchObject({ provider_name: 'anyrouter', tag: 'anyrouter', region: null })
  const { gateway } = places
  const lists = await Promise.all([
    ...['/v1/models', '/api/v1/models', '/v1/models/a/one'].map((path) => get(path, bearer(gateway))),
    get('/api/v1/models/a/one'),
  ])
  expect(lists[0]?.body.data[0]).toMatchObject({ id: 'a/one', owned_by: 'anyrouter' })
  expect(JSON.stringify([shown, lists])).not.toMatch(/acme|other/)
})
