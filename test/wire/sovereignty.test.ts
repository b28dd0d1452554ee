import { describe, expect, test } from 'bun:test'
import { endedInTurn } from '../support/ended-in-turn.ts'
import { bearer, startGateway, type TestGateway } from '../support/gateway.ts'
import { gate, json, type Part } from '../support/script.ts'
import { type ScriptedProvider, scriptedProvider } from '../support/scripted-provider.ts'
import { completion, finish, role, sse, text } from '../support/sse.ts'
import { chat, errorOf, eventually, keyWith, recordOf } from '../support/wire-chat.ts'

const OK = completion('ok', 1, 1)
const HOME = { routing: { home_regions: ['ca'], queue_ms: 0 } }
const FOREIGN = { allow_foreign: true }

/** Four places that serve one model, the operator's order turned round. */
async function places(yaml: object = HOME) {
  const [abroad, owned, home, spare] = await Promise.all([scripted(), scripted(), scripted(), scripted()])
  const gateway = await startGateway({
    offers: {
      m1: [
        { id: 'abroad', provider: abroad, of: { id: 'yank', ownership: 'us' }, backend: { region: 'us' } },
        { id: 'owned', provider: owned, of: { id: 'yank', ownership: 'us' }, backend: { region: 'ca', slots: 1 } },
        { id: 'home', provider: home, of: { id: 'maple', ownership: 'ca' }, backend: { region: 'ca', slots: 1 } },
      ],
      m2: [{ id: 'far', provider: spare, of: { id: 'yank', ownership: 'us' }, backend: { region: 'us' } }],
    },
    yaml: { ...HOME, ...yaml },
  })
  return {
    gateway,
    abroad,
    owned,
    home,
    far: spare,
    ...endedInTurn(gateway, abroad, owned, home, spare),
  }
}

async function scripted(part: Part = OK): Promise<ScriptedProvider> {
  const provider = await scriptedProvider()
  provider.script(part)
  return provider
}

const allow = async (gateway: TestGateway, terms: object): Promise<void> => {
  expect((await gateway.admin('PATCH', `/accounts/${gateway.account}`, terms)).status).toBe(200)
}

const planOf = async (gateway: TestGateway, key: string): Promise<string[]> => {
  const { body } = await gateway.admin('POST', '/route', { model: 'm1', key })
  return body.candidates.map(({ backend }: { backend: string }) => backend)
}

/** Takes the one slot of each. */
function fill(gateway: TestGateway, ...providers: readonly ScriptedProvider[]) {
  for (const provider of providers) provider.script(sse(role(), text('a'), gate('end'), finish()))
  const streams = providers.map(() => chat(gateway, { stream: true }))
  return {
    begun: Promise.all(providers.map((provider) => provider.reached('end'))),
    async end() {
      for (const provider of providers) provider.release('end')
      await Promise.all(streams.map((stream) => stream.text()))
    },
  }
}

describe('order', () => {
  test('home by region and owner is tried first, then home by region, then abroad', async () => {
    await using world = await places()
    const { gateway } = world
    await allow(gateway, FOREIGN)
    const key = await keyWith(gateway, FOREIGN)
    expect(await planOf(gateway, key.id)).toEqual(['home', 'owned', 'abroad'])
    expect(await chat(gateway, {}, key.headers).status()).toBe(200)
    expect(world.home.requests).toHaveLength(1)
  })

  test('a request that may not leave has only home', async () => {
    await using world = await places()
    const key = await keyWith(world.gateway, {})
    expect(await planOf(world.gateway, key.id)).toEqual(['home', 'owned'])
  })

  test('without home regions the operator’s order is all there is', async () => {
    await using world = await places({ routing: {} })
    const key = await keyWith(world.gateway, {})
    expect(await planOf(world.gateway, key.id)).toEqual(['abroad', 'owned', 'home'])
  })
})

describe('a key that stays home', () => {
  test('opens no connection abroad, warm ones and fallbacks included', async () => {
    await using world = await places()
    const { gateway, abroad, owned, home } = world
    expect(await chat(gateway).status()).toBe(200)
    // The next in line at home is warmed: what would be warmed abroad has been by then.
    await eventually(async () => (owned.connections > 0 ? true : undefined))
    home.script(json(500, { error: { message: 'down' } }))
    owned.script(json(500, { error: { message: 'down' } }))
    const failed = chat(gateway)
    expect(await failed.status()).toBe(502)
    const { skips, attempts } = await recordOf(gateway, await failed.head())
    expect(attempts.map(({ backend }: { backend: string }) => backend)).toEqual(['home', 'owned'])
    expect(skips).toEqual([
      expect.objectContaining({
        backend: 'abroad',
        rule: 'sovereignty',
        reason: 'the backend is outside the home regions',
        evidence: expect.stringContaining('it runs in us'),
      }),
    ])
    expect([abroad.connections, world.far.connections]).toEqual([0, 0])
  })

  test('is refused when home is full, with the reason; one that may leave is served abroad', async () => {
    await using world = await places()
    const { gateway, abroad, owned, home } = world
    const full = fill(gateway, home, owned)
    await full.begun
    const refused = chat(gateway)
    const error = await errorOf(refused)
    expect(error).toMatchObject({ status: 503, code: 'no_capacity' })
    expect(error.message).toContain('in the regions that this key may use')
    expect(abroad.connections).toBe(0)

    await allow(gateway, FOREIGN)
    expect((await errorOf(chat(gateway))).code).toBe('no_capacity') // the account alone is not enough
    const key = await keyWith(gateway, FOREIGN)
    expect(await chat(gateway, {}, key.headers).status()).toBe(200)
    expect(abroad.requests).toHaveLength(1)

    await allow(gateway, { allow_foreign: false })
    expect((await errorOf(chat(gateway, {}, key.headers))).code).toBe('no_capacity') // nor is the key
    expect(abroad.requests).toHaveLength(1)
    await full.end()
  })

  test('503 with both reasons when home is out', async () => {
    await using world = await places()
    const { gateway, abroad } = world
    for (const backend of ['home', 'owned'])
      expect((await gateway.admin('PUT', `/quarantine/${backend}`, { reason: 'a flood' })).status).toBe(200)
    const error = await errorOf(chat(gateway))
    expect(error).toMatchObject({ status: 503, code: 'no_backend' })
    expect(error.message).toContain('outside the home regions; the backend is quarantined')
    expect(abroad.connections).toBe(0)
  })

  test('403 when no region that it may use offers the model; its list of models has it not', async () => {
    await using world = await places()
    const { gateway, far } = world
    const refused = chat(gateway, { model: 'm2' })
    expect(await errorOf(refused)).toMatchObject({
      status: 403,
      code: 'region_restricted',
      param: 'model',
      skips: [{ rule: 'sovereignty', reason: 'the backend is outside the home regions' }],
    })
    const headers = bearer(gateway)
    const list = await (await fetch(`${gateway.baseUrl}/models`, { headers })).json()
    expect(list).toMatchObject({ data: [{ id: 'm1' }, { id: 'anyrouter/auto' }] })
    expect((await fetch(`${gateway.baseUrl}/models/m2`, { headers })).status).toBe(404)
    expect(far.connections).toBe(0)

    await allow(gateway, FOREIGN)
    const key = await keyWith(gateway, FOREIGN)
    expect((await fetch(`${gateway.baseUrl}/models/m2`, { headers: key.headers })).status).toBe(200)
    expect(await chat(gateway, { model: 'm2' }, key.headers).status()).toBe(200)
  })
})

test('an own credential goes no further than its account; what an operator asks for goes where he says', async () => {
  await using world = await places()
  const { gateway, far } = world
  const credential = { provider: 'yank', name: 'ours', secret: 'sk-ours' }
  expect((await gateway.admin('POST', `/accounts/${gateway.account}/credentials`, credential)).status).toBe(201)
  expect((await errorOf(chat(gateway, { model: 'm2' }))).code).toBe('region_restricted')
  expect(far.connections).toBe(0)
  const { body } = await gateway.admin('POST', '/backends/far/smoke', { model: 'm2' })
  expect(body.probes[0]).toMatchObject({ kind: 'plain', status: 200 })
  expect(far.requests.length).toBeGreaterThan(0)
})

test('regions, owners, and what was left out bind account and key; a change binds the next request', async () => {
  await using world = await places()
  const { gateway } = world
  await allow(gateway, { ...FOREIGN, ownerships: ['us', 'ca'] })
  const key = await keyWith(gateway, { ...FOREIGN, ownerships: ['us'] })
  expect(await planOf(gateway, key.id)).toEqual(['owned', 'abroad'])
  await gateway.admin('PATCH', `/keys/${key.id}`, { ownerships: null, regions: ['ca'] })
  expect(await planOf(gateway, key.id)).toEqual(['home', 'owned'])
  await allow(gateway, { ignore: ['maple'] })
  expect(await planOf(gateway, key.id)).toEqual(['owned'])
  await gateway.admin('PATCH', `/keys/${key.id}`, { only: ['home'] })
  const error = await errorOf(chat(gateway, {}, key.headers))
  expect(error).toMatchObject({ status: 403, code: 'model_not_permitted' })
  expect(error.message).toContain('any backend')
})

test('a reload that sets home regions ends what is kept open abroad', async () => {
  await using abroad = await scripted()
  const offers = { m1: [{ provider: abroad, backend: { region: 'us', ping: 'off' } }] }
  await using gateway = await startGateway({ offers })
  expect(await chat(gateway).status()).toBe(200)
  expect(abroad.connectionsOpen).toBe(1)
  gateway.configure({ offers, yaml: HOME })
  expect((await gateway.admin('POST', '/config/reload')).status).toBe(200)
  await abroad.connectionsEnded(1)
  expect((await errorOf(chat(gateway))).code).toBe('region_restricted')
  expect(abroad.connections).toBe(1)
})
