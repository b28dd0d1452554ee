import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { gate } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, finish, role, sse, text, usage } from '../support/sse.ts'
import { chat, eventually, settlementOf, streamChat } from '../support/wire-chat.ts'

const reload = (gateway: TestGateway) => gateway.admin('POST', '/config/reload')
const NOTHING = { added: [], removed: [], changed: [] }

describe('what stays', () => {
  test('connections to a backend that is where it was, whatever else of it changes', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    provider.script(completion('ok', 1, 1))
    expect(await chat(gateway).status()).toBe(200)
    gateway.changeSecret('sk-provider-second-0123456789')
    gateway.configure({ offers: { m1: [{ provider, backend: { slots: 3 } }] }, yaml: { routing: { queue_ms: 1 } } })
    expect((await reload(gateway)).body).toEqual({
      catalogue_version: 2,
      backends: { ...NOTHING, changed: ['b0'] },
      models: NOTHING,
      aliases: NOTHING,
      routers: NOTHING,
      settings: ['routing.queue_ms'],
      restart_needed: [],
    })
    expect(await chat(gateway).status()).toBe(200)
    expect(provider.connections).toBe(1)
    expect(provider.requests.map((request) => request.header('authorization'))).toEqual([
      'Bearer sk-provider-canary-0123456789',
      'Bearer sk-provider-second-0123456789',
    ])
    const { body } = await gateway.admin('GET', '/slots')
    expect(body.data).toMatchObject([{ backend: 'b0', slots: 3, connections_opened: 1 }])
  })

  test('everything, when the file is bad: the answer says where and why, and so does the log', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    provider.script(completion('ok', 1, 1))
    const good = readFileSync(gateway.configPath, 'utf8')
    writeFileSync(gateway.configPath, `server:\n  prot: 1\n${good}`)
    const { status, body } = await reload(gateway)
    expect(status).toBe(422)
    expect(body.error).toMatchObject({
      code: 'invalid_configuration',
      message: expect.stringContaining(`${gateway.configPath}:2:3  server.prot\n`),
      problems: [{ path: 'server.prot', line: 2, column: 3, suggestion: expect.stringContaining('port') }],
    })
    expect(await chat(gateway).status()).toBe(200)
    expect((await gateway.admin('GET', '/models')).body.version).toBe(1)
    await eventually(async () => gateway.logs().includes('"event":"reload_refused"') || undefined)

    gateway.configure(good)
    expect((await reload(gateway)).body).toMatchObject({ catalogue_version: 2, backends: NOTHING, settings: [] })
    expect(provider.connections).toBe(1)
  })

  test('the price of a request in progress', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider, price: { input: '4', output: '10' } }] } })
    provider.script(sse(role(), text('Hel'), gate('half'), finish(), usage(10, 5), done()))
    const answer = streamChat(gateway)
    await answer.until('Hel')
    gateway.configure({ offers: { m1: [{ provider, price: { input: '400', output: '1000' } }] } })
    expect((await reload(gateway)).body.models).toEqual({ ...NOTHING, changed: ['m1'] })
    provider.release('half')
    expect(await answer.text()).toContain('[DONE]')
    expect(await settlementOf(gateway)).toMatchObject({ charged_nano: 10 * 4000 + 5 * 10_000 })
  })
})

describe('what goes', () => {
  test('a backend on which a stream runs: it is read to its end, new requests go elsewhere', async () => {
    await using old = await scriptedProvider()
    await using young = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider: old, id: 'old' }] } })
    old.script(completion('warm', 1, 1), sse(role(), text('Hel'), gate('half'), text('lo'), finish(), done()))
    young.script(completion('ok', 1, 1))
    expect(await chat(gateway).status()).toBe(200)
    const answer = streamChat(gateway)
    await answer.until('Hel')
    gateway.configure({ offers: { m1: [{ provider: young, id: 'young' }] } })
    expect((await reload(gateway)).body).toMatchObject({
      backends: { added: ['young'], removed: ['old'], changed: [] },
      models: { ...NOTHING, changed: ['m1'] },
    })
    expect(await chat(gateway).status()).toBe(200)
    expect([old.requests.length, young.requests.length]).toEqual([2, 1])
    old.release('half')
    expect(await answer.text()).toContain('[DONE]')
    await old.connectionsEnded(1)
    expect((await gateway.admin('GET', '/slots')).body.data).toMatchObject([{ backend: 'young' }])
  })

  test('the idle connections of a backend that is elsewhere now', async () => {
    await using here = await scriptedProvider()
    await using there = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider: here }] } })
    here.script(completion('ok', 1, 1))
    there.script(completion('ok', 1, 1))
    expect(await chat(gateway).status()).toBe(200)
    gateway.configure({ offers: { m1: [{ provider: there }] } })
    expect((await reload(gateway)).body.backends).toEqual({ ...NOTHING, changed: ['b0'] })
    await here.connectionsEnded(1)
    expect(await chat(gateway).status()).toBe(200)
    expect(there.requests).toHaveLength(1)
  })

  test('the last backend: not ready any more, until there is one again', async () => {
    await using provider = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
    const ready = async () => (await fetch(`${gateway.origin}/readyz`)).status
    expect(await ready()).toBe(200)
    gateway.configure('server: { port: 1 }\n')
    expect((await reload(gateway)).status).toBe(200)
    expect(await ready()).toBe(503)
    gateway.configure({ offers: { m1: [{ provider }] } })
    await reload(gateway)
    expect(await ready()).toBe(200)
  })
})

test('more slots serve who waits, at once', async () => {
  await using provider = await scriptedProvider()
  const offers = (slots: number) => ({ m1: [{ provider, backend: { slots } }] })
  await using gateway = await startGateway({ offers: offers(1), yaml: { routing: { queue_ms: 60_000 } } })
  provider.script(sse(role(), text('Hel'), gate('half'), finish(), done()), completion('ok', 1, 1))
  const first = streamChat(gateway)
  await first.until('Hel')
  const second = chat(gateway)
  await eventually(async () => (await gateway.admin('GET', '/slots')).body.waiters === 1 || undefined)
  gateway.configure({ offers: offers(2), yaml: { routing: { queue_ms: 60_000 } } })
  await reload(gateway)
  expect(await second.status()).toBe(200)
  provider.release('half')
  expect(await first.text()).toContain('[DONE]')
})
