import { expect, test } from 'bun:test'
import { bearer, startGateway } from '../support/gateway.ts'
import { rawRequest } from '../support/raw-client.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { errorOf, keyWith, timingOf } from '../support/wire-chat.ts'

const AUTO = { id: 'anyrouter/auto', object: 'model', created: expect.any(Number), owned_by: 'anyrouter' }

test('the models list is the catalogue, in its order, for who has a key', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { 'b/two': [{ provider }], 'a/one': [{ provider }] } })
  const answer = rawRequest(gateway.origin, { method: 'GET', path: '/v1/models?limit=1', headers: bearer(gateway) })
  const head = await answer.head()
  expect(timingOf(head).get('total')).toBeGreaterThanOrEqual(0)
  expect(JSON.parse(await answer.text())).toEqual({
    object: 'list',
    data: [
      ...['b/two', 'a/one'].map((id) => ({ id, object: 'model', created: expect.any(Number), owned_by: 'mock' })),
      AUTO,
    ],
  })
  expect(await errorOf(rawRequest(gateway.origin, { method: 'GET', path: '/v1/models' }))).toMatchObject({
    status: 401,
  })
})

test('one model by its id, with a plain or an encoded slash', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { 'a/one': [{ provider }] } })
  for (const path of ['/v1/models/a/one', '/v1/models/a%2Fone']) {
    const answer = rawRequest(gateway.origin, { method: 'GET', path, headers: bearer(gateway) })
    expect(await answer.json()).toMatchObject({ id: 'a/one', object: 'model' })
  }
  expect(
    await errorOf(rawRequest(gateway.origin, { method: 'GET', path: '/v1/models/a/on', headers: bearer(gateway) })),
  ).toMatchObject({
    status: 404,
    code: 'model_not_found',
  })
})

test('a host of one letter is a host; what is none is 400, and said in JSON', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { 'a/one': [{ provider }] } })
  const get = (path: string, host: string) =>
    rawRequest(gateway.origin, { method: 'GET', path, headers: { ...bearer(gateway), host } })
  expect(await get('/v1/models/a/one', 'g').json()).toMatchObject({ id: 'a/one' })
  for (const host of ['[', 'a b/<>?', '']) {
    for (const path of ['/v1/models/a/one', '/v1/files', '/v1/batches?limit=3', '/v1/responses/x', '/nope'])
      expect(await errorOf(get(path, host))).toMatchObject({ status: 400, code: 'invalid_request' })
  }
})

test('health and readiness need no key', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  expect(await rawRequest(gateway.origin, { method: 'GET', path: '/healthz' }).status()).toBe(200)
  const ready = rawRequest(gateway.origin, { method: 'GET', path: '/readyz' })
  expect(await ready.json()).toMatchObject({ status: 'ready' })
  const page = rawRequest(gateway.origin, { method: 'GET', path: '/' })
  expect((await page.head()).header('content-type')).toContain('text/html')
  const html = await page.text()
  expect(html).toContain('m1')
  expect(html).not.toContain(gateway.key)
  expect(html).not.toContain(provider.origin)
  const headers = { host: 'llm.example.com', 'x-forwarded-proto': 'https' }
  const etag = (await page.head()).header('etag') ?? ''
  const again = rawRequest(gateway.origin, { method: 'GET', path: '/', headers: { 'if-none-match': etag } })
  expect([await again.status(), await again.text()]).toEqual([304, ''])
  const outside = await rawRequest(gateway.origin, { method: 'GET', path: '/', headers }).text()
  expect(outside).toContain('https://llm.example.com/v1')
  expect(outside).not.toContain(new URL(gateway.origin).host)
})

const get = (origin: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
  rawRequest(origin, { method: 'GET', path, headers })

const SHOWN = {
  id: 'a/one',
  object: 'model',
  created: expect.any(Number),
  owned_by: 'mock',
  canonical_slug: 'a/one',
  name: 'a/one',
  description: '',
  context_length: 128_000,
  architecture: {
    modality: 'text+image->text',
    input_modalities: ['text', 'image'],
    output_modalities: ['text'],
    tokenizer: 'Other',
    instruct_type: null,
  },
  pricing: {
    prompt: '0.000004',
    completion: '0.00001',
    request: '0.001',
    image: '0',
    input_cache_read: '0.000001',
  },
  top_provider: { context_length: 128_000, max_completion_tokens: 4096, is_moderated: false },
  per_request_limits: null,
  supported_parameters: ['max_tokens', 'temperature', 'top_p', 'stop', 'tools', 'tool_choice'],
  default_parameters: null,
  supported_voices: null,
  links: { details: '/api/v1/models/a/one/endpoints' },
}

test('under /api/v1 the list is OpenRouter’s, for anybody; with a key it has what the key may use', async () => {
  await using provider = await scriptedProvider()
  const price = { input: '4', cached_input: '1', output: '10', per_request: '0.001' }
  const speech = { operations: ['audio.speech'] }
  await using gateway = await startGateway({
    offers: { 'a/one': [{ provider, price }], 'b/two': [{ provider, price: null, offer: speech }] },
    model: { capabilities: ['tools', 'images'] },
  })
  const two = { id: 'b/two', architecture: { output_modalities: ['speech'] }, supported_parameters: [] }
  const all = await get(gateway.origin, '/api/v1/models').json()
  expect(all).toEqual({
    data: [SHOWN, expect.objectContaining({ id: 'b/two' }), expect.objectContaining(AUTO)],
    links: { next: null },
    total_count: 3,
  })
  expect(all).toMatchObject({ data: [{}, { ...two, pricing: { prompt: '0', completion: '0' } }, {}] })
  expect(await get(gateway.origin, '/api/v1/models/count').json()).toEqual({ data: { count: 3 } })

  expect(await get(gateway.origin, '/api/v1/embeddings/models').json()).toEqual({
    data: [],
    links: { next: null },
    total_count: 0,
  })
  const { headers } = await keyWith(gateway, { models: ['a/one'] })
  const mine = { data: [SHOWN, expect.objectContaining(AUTO)], links: { next: null }, total_count: 2 }
  expect(await get(gateway.origin, '/api/v1/models', headers).json()).toEqual(mine)
  expect(await get(gateway.origin, '/api/v1/models/user', headers).json()).toEqual(mine)
  expect(await get(gateway.origin, '/api/v1/models/count', headers).json()).toEqual({ data: { count: 2 } })
  for (const path of ['/api/v1/models/user', '/v1/models']) expect(await get(gateway.origin, path).status()).toBe(401)
  expect(await get(gateway.origin, '/api/v1/models', { authorization: 'Bearer sk-ar-v1-nobody' }).status()).toBe(401)

  expect(await get(gateway.origin, '/api/v1/model/a/one').json()).toEqual({ data: SHOWN })
  expect(await get(gateway.origin, '/api/v1/models/a%2Fone').json()).toEqual(SHOWN)
  expect(await get(gateway.origin, '/api/v1/model/b/two', headers).status()).toBe(404)
  expect(await get(gateway.origin, '/v1/model/a/one', headers).status()).toBe(404)
})

test('who names Anthropic’s version gets Anthropic’s list', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { 'a/one': [{ provider }], two: [{ provider }] } })
  const headers = { 'x-api-key': gateway.key, 'anthropic-version': '2023-06-01' }
  const shown = (id: string) => ({
    type: 'model',
    id,
    display_name: id,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  })
  expect(await get(gateway.origin, '/v1/models', headers).json()).toEqual({
    data: [shown('a/one'), shown('two'), shown('anyrouter/auto')],
    has_more: false,
    first_id: 'a/one',
    last_id: 'anyrouter/auto',
  })
  expect(await get(gateway.origin, '/v1/models/a%2Fone', headers).json()).toEqual(shown('a/one'))
})
