import { expect, test } from 'bun:test'
import { bearer, startGateway, type TestGateway } from '../support/gateway.ts'
import { json, status } from '../support/script.ts'
import { scriptedProvider, TLS_CERTIFICATE_PATH } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { chat, errorOf, eventually, recordOf, streamChat } from '../support/wire-chat.ts'

const OK = completion('ok', 1, 1)
const SECRET = 'own-secret-of-the-place'

interface Place {
  readonly origin: string
  readonly port: number
}

interface Allowed {
  readonly allow?: readonly string[]
  readonly home?: readonly string[]
}

/** A gateway whose operator lets customers' URLs lead to one port of this machine. */
const gatewayFor = (provider: { readonly origin: string }, { port }: Place, { allow, home = [] }: Allowed = {}) =>
  startGateway({
    offers: { m1: [{ provider, backend: { ping: 'off', region: 'ca' } }] },
    credentials: ['operators'],
    yaml: {
      routing: { home_regions: home },
      quarantine: { probe: false },
      network: { allow_private: allow ?? ['127.0.0.1/32'], ports: [443, port], ca_file: TLS_CERTIFICATE_PATH },
    },
  })

const bring = (gateway: TestGateway, base_url: string) =>
  gateway.admin('POST', `/accounts/${gateway.account}/credentials`, {
    provider: 'mock',
    name: 'theirs',
    secret: SECRET,
    base_url,
  })

test('requests go to the account’s own place: on a connection each, with its credential alone, at no charge', async () => {
  await using provider = await scriptedProvider()
  await using place = await scriptedProvider({ tls: true })
  await using gateway = await gatewayFor(provider, place)
  place.script(OK)
  const made = await bring(gateway, `${place.origin}/their/v1/`)
  expect(made).toMatchObject({ status: 201, body: { base_url: `${place.origin}/their/v1` } })
  const backend = `own:${made.body.id}`

  const plain = chat(gateway, {}, { ...bearer(gateway), 'x-anyrouter-explain': '1' })
  expect(await plain.status()).toBe(200)
  const explained = JSON.parse((await plain.head()).header('x-anyrouter-explain') ?? '')
  expect(explained).toMatchObject({
    plan: [{ offer: `${backend}/m1`, credential: made.body.id }, { offer: 'b0/m1' }],
    attempts: [{ backend, outcome: 'succeeded', connection: 'new' }],
  })
  expect(await recordOf(gateway, await plain.head())).toMatchObject({
    attempts: [{ backend, credential: made.body.id, outcome: 'succeeded' }],
    settlement: { end: 'settled', cost_nano: 0, charged_nano: 0 },
  })
  const stream = streamChat(gateway)
  expect(await stream.status()).toBe(200)
  await stream.text()
  expect(await chat(gateway).status()).toBe(200)

  expect(place.connections).toBe(3)
  expect(place.requests).toHaveLength(3)
  for (const request of place.requests) {
    expect(request.target).toBe('/their/v1/chat/completions')
    expect(request.header('authorization')).toBe(`Bearer ${SECRET}`)
    expect(request.json()).toMatchObject({ model: 'provider-m1' })
  }
  expect(provider.requests).toHaveLength(0)
  await eventually(async () => (place.connectionsOpen === 0 ? true : undefined))
})

test('what goes wrong there is held against that credential alone; the operator’s backends serve, charged', async () => {
  await using provider = await scriptedProvider()
  await using place = await scriptedProvider({ tls: true })
  await using gateway = await gatewayFor(provider, place)
  const { id } = (await bring(gateway, `${place.origin}/v1`)).body
  provider.script(OK)
  place.script(status(307, '', { location: `${provider.origin}/v1` }), json(500, {}), status(502))
  for (let at = 0; at < 5; at++) expect(await chat(gateway).status()).toBe(200)
  const path = `/accounts/${gateway.account}/credentials/${id}`
  const fault = await eventually(async () => (await gateway.admin('GET', path)).body.fault ?? undefined)
  expect(fault).toMatchObject({ cause: 'failures' })
  const passed = chat(gateway)
  expect(await passed.status()).toBe(200)
  expect((await recordOf(gateway, await passed.head())).skips).toMatchObject([
    { backend: `own:${id}`, rule: 'own-credential' },
  ])
  expect(place.requests).toHaveLength(5)
  expect(provider.requests.map((request) => request.header('authorization'))).toEqual(
    Array.from({ length: 6 }, () => 'Bearer operators'),
  )
  expect((await gateway.admin('GET', '/quarantine')).body.data).toEqual([])
  const metrics = await eventually(async () => {
    const text = await gateway.admin('GET', '/backends')
    return text.status === 200 ? JSON.stringify(text.body) : undefined
  })
  expect(metrics).not.toContain('own:')
  expect(gateway.logs()).not.toContain(SECRET)
})

test('a place inside the network is refused when it is named, and when its name leads there', async () => {
  await using provider = await scriptedProvider()
  await using place = await scriptedProvider({ tls: true })
  await using gateway = await gatewayFor(provider, place, { allow: [] })
  provider.script(OK)
  expect(await bring(gateway, `${place.origin}/v1`)).toMatchObject({
    status: 400,
    body: { error: { param: 'base_url', code: 'invalid_request' } },
  })
  // A name is looked up for each request, not when it is given.
  const named = await bring(gateway, `https://localhost:${place.port}/v1`)
  expect(named.status).toBe(201)
  const answer = chat(gateway)
  expect(await answer.status()).toBe(200)
  expect((await recordOf(gateway, await answer.head())).attempts).toMatchObject([
    { backend: `own:${named.body.id}`, outcome: 'unsent', reason: 'address' },
    { backend: 'b0', outcome: 'succeeded' },
  ])
  expect(place.connections).toBe(0)
})

test('what may not leave home does not go to a place that nobody knows the region of', async () => {
  await using provider = await scriptedProvider()
  await using place = await scriptedProvider({ tls: true })
  await using gateway = await gatewayFor(provider, place, { home: ['ca'] })
  provider.script(OK)
  await bring(gateway, `${place.origin}/v1`)
  const answer = chat(gateway)
  expect(await answer.status()).toBe(200)
  expect((await recordOf(gateway, await answer.head())).skips).toMatchObject([{ rule: 'sovereignty' }])
  expect(place.connections).toBe(0)
})

test('a provider that the account may not use is not used there either; a model unknown there is asked of the next', async () => {
  await using provider = await scriptedProvider()
  await using place = await scriptedProvider({ tls: true })
  await using gateway = await gatewayFor(provider, place)
  place.script(json(404, { error: { message: 'no such model', type: 'invalid_request_error' } }))
  provider.script(OK)
  await bring(gateway, `${place.origin}/v1`)
  expect(await chat(gateway).status()).toBe(200)
  expect(provider.requests).toHaveLength(1)
  const terms = { ignore: ['mock'] }
  expect((await gateway.admin('PATCH', `/accounts/${gateway.account}`, terms)).status).toBe(200)
  expect((await errorOf(chat(gateway))).status).toBe(403)
  expect(place.requests).toHaveLength(1)
  expect(provider.requests).toHaveLength(1)
})
