import { expect, test } from 'bun:test'
import { endedInTurn } from '../support/ended-in-turn.ts'
import { bearer, startGateway, type TestGateway } from '../support/gateway.ts'
import { rawRequest } from '../support/raw-client.ts'
import { status } from '../support/script.ts'
import { type ScriptedProvider, scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { apiChat } from '../support/wire-api-v1.ts'
import { chat, errorOf, eventually, keyWith } from '../support/wire-chat.ts'

const FREE = { input: '0', output: '0' }
const PICTURE = [
  { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGVsbG8=' } }] },
]

/** `cheap` and `dear` cost something, `gift` nothing; `eyes` can see images. */
async function world(routers: object = {}) {
  const provider = await scriptedProvider()
  const gateway = await startGateway({
    offers: {
      dear: [{ provider, price: { input: '40', output: '100' }, offer: { capabilities: ['tools'] } }],
      cheap: [{ provider, offer: { capabilities: [] } }],
      gift: [{ provider, price: FREE, offer: { capabilities: ['tools'] } }],
      eyes: [{ provider, price: { input: '9', output: '20' }, offer: { capabilities: ['images'] } }],
    },
    yaml: { routers: { ...routers } },
  })
  return {
    provider,
    gateway,
    ...endedInTurn(gateway, provider),
  }
}

/** The model that answered; of a refusal its code. */
async function servedBy(gateway: TestGateway, provider: ScriptedProvider, fields: object, ask = chat) {
  provider.script(completion('ok', 1, 1))
  const { model, error } = JSON.parse(await ask(gateway, fields).text())
  return model ?? error.metadata?.code ?? error.code
}

test('anyrouter/auto takes what fits, the cheapest first, and answers under the name of the model', async () => {
  await using places = await world()
  const { gateway, provider } = places
  const by = (fields: object, ask?: typeof chat) => servedBy(gateway, provider, fields, ask)
  expect(await by({ model: 'anyrouter/auto' })).toBe('gift')
  expect(await by({ model: 'anyrouter/auto', messages: PICTURE })).toBe('eyes')
  expect(await by({ model: 'openrouter/auto' }, apiChat)).toBe('gift')
  expect(await by({ model: 'anyrouter/auto', provider: { max_price: { prompt: 0 } } })).toBe('gift')
  const { headers } = await keyWith(gateway, { models: ['dear'] })
  provider.script(completion('ok', 1, 1))
  expect(JSON.parse(await chat(gateway, { model: 'anyrouter/auto' }, headers).text()).model).toBe('dear')
  const asked = await eventually(async () => {
    const { body } = await gateway.admin('GET', '/records?limit=10')
    return body.data.length === 5 ? body.data : undefined
  })
  expect(asked).toMatchObject(
    ['dear', 'gift', 'gift', 'eyes', 'gift'].map((model) => ({ model, router: 'anyrouter/auto' })),
  )
})

test('when its model fails the next one serves', async () => {
  await using places = await world({ 'team/best': { candidates: ['dear', 'cheap'], by: 'order' } })
  const { gateway, provider } = places
  provider.script(status(500), completion('ok', 1, 1))
  const answer = chat(gateway, { model: 'team/best' }, { ...bearer(gateway), 'x-anyrouter-explain': '1' })
  const told = JSON.parse((await answer.head()).header('x-anyrouter-explain') ?? '')
  expect(JSON.parse(await answer.text()).model).toBe('cheap')
  expect(told).toMatchObject({ model: 'cheap', router: 'team/best', plan: [{}, { behind_by: 'router' }] })
})

test('anyrouter/free takes none but what is free', async () => {
  await using places = await world()
  const { gateway, provider } = places
  expect(await servedBy(gateway, provider, { model: 'anyrouter/free' })).toBe('gift')
  expect(await servedBy(gateway, provider, { model: 'openrouter/free' }, apiChat)).toBe('gift')
  expect(await servedBy(gateway, provider, { model: 'anyrouter/auto:free' })).toBe('gift')
  const sent = provider.requests.length
  expect(await errorOf(chat(gateway, { model: 'anyrouter/free', messages: PICTURE }))).toMatchObject({
    status: 404,
    code: 'no_matching_backend',
  })
  await gateway.admin('PUT', '/quarantine/b2', { for_ms: 60_000, reason: 'a flood' })
  expect(await errorOf(chat(gateway, { model: 'anyrouter/free' }))).toMatchObject({ status: 503, code: 'no_backend' })
  expect(provider.requests.length).toBe(sent)
})

test('without a free offer the free router is not listed, and says why', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  const error = await errorOf(chat(gateway, { model: 'anyrouter/free' }))
  expect(error).toMatchObject({ status: 404, code: 'no_matching_backend' })
  expect(error.message).toContain('whose price is zero')
  const list = rawRequest(gateway.origin, { method: 'GET', path: '/v1/models', headers: bearer(gateway) })
  expect(JSON.parse(await list.text()).data.map(({ id }: { id: string }) => id)).toEqual(['m1', 'anyrouter/auto'])
})

test('routers of the operator: by price, by need, with variants', async () => {
  await using places = await world({
    'team/price': { candidates: ['dear', 'cheap', 'eyes'], by: 'price' },
    'team/need': { candidates: ['cheap', 'dear'], needs: { tools: ['dear'], cheap: ['eyes'] } },
    'team/free': { where: { price: 'free' } },
  })
  const { gateway, provider } = places
  const by = (fields: object) => servedBy(gateway, provider, fields)
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
  expect(await by({ model: 'team/price' })).toBe('cheap')
  expect(await by({ model: 'team/need' })).toBe('eyes')
  expect(await by({ model: 'team/need', tools })).toBe('dear')
  expect(await by({ model: 'team/need:floor' })).toBe('cheap')
  expect(await by({ model: 'team/free' })).toBe('gift')
  expect(await by({ model: 'team/nedd' })).toBe('model_not_found')
  expect(await by({ model: 'gone', models: ['team/price'] })).toBe('cheap')
})

test('both are in the lists, in either form', async () => {
  await using places = await world()
  const get = async (path: string) =>
    JSON.parse(await rawRequest(places.gateway.origin, { method: 'GET', path, headers: bearer(places.gateway) }).text())
  const plain = { object: 'model', owned_by: 'anyrouter' }
  expect((await get('/v1/models')).data.slice(-2)).toMatchObject([
    { id: 'anyrouter/auto', ...plain },
    { id: 'anyrouter/free', ...plain },
  ])
  expect((await get('/api/v1/models')).data.slice(-2)).toMatchObject([
    { id: 'anyrouter/auto', pricing: { prompt: '-1' }, architecture: { input_modalities: ['text'] } },
    { id: 'anyrouter/free', pricing: { prompt: '0' }, supported_parameters: expect.arrayContaining(['tools']) },
  ])
  expect(await get('/v1/models/anyrouter/free')).toMatchObject({ id: 'anyrouter/free' })
  expect(await get('/api/v1/model/openrouter/auto')).toMatchObject({ data: { id: 'anyrouter/auto' } })
})

test('a list of models may name a router model, by any of its names: its models are had by that name alone, and listed so', async () => {
  await using places = await world({ 'team/two': { candidates: ['dear', 'cheap'], by: 'order' } })
  const { gateway, provider } = places
  const { id, headers } = await keyWith(gateway, { models: ['team/two', 'openrouter/free'] })
  expect((await gateway.admin('GET', `/keys/${id}`)).body.models).toEqual(['team/two', 'anyrouter/free'])
  const by = (fields: object) => servedBy(gateway, provider, fields, (at, more) => chat(at, more, headers))
  expect(await by({ model: 'team/two' })).toBe('dear')
  expect(await by({ model: 'team/two:floor' })).toBe('cheap')
  expect(await by({ model: 'anyrouter/free' })).toBe('gift')
  expect(await by({ model: 'dear' })).toBe('model_not_permitted')
  expect(await by({ model: 'anyrouter/auto' })).toBe('model_not_permitted')
  const listed = JSON.parse(await rawRequest(gateway.origin, { method: 'GET', path: '/v1/models', headers }).text())
  expect(listed.data.map((model: { id: string }) => model.id)).toEqual(['anyrouter/free', 'team/two'])

  expect((await gateway.admin('PATCH', `/accounts/${gateway.account}`, { models: ['cheap'] })).status).toBe(200)
  expect(await by({ model: 'team/two' })).toBe('cheap')
  expect(await by({ model: 'anyrouter/free' })).toBe('model_not_permitted')
  const unknown = await gateway.admin('PATCH', `/keys/${id}`, { models: ['team/gone'] })
  expect(unknown.body.error).toMatchObject({ code: 'model_not_found', param: 'models' })
})
