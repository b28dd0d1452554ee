import { describe, expect, test } from 'bun:test'
import { createAgents } from '../../../src/agents/index.ts'
import type { Backend, Catalogue } from '../../../src/domain/index.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { always, gate, plain, rawServer } from '../../support/raw-server.ts'
import { ask, backendAt, Probe, SETTINGS, until } from './probe.ts'

const catalogue = (...backends: Backend[]): Catalogue => ({
  backends: new Map(backends.map((backend) => [backend.id, backend])),
  models: new Map(),
  aliases: new Map(),
  routers: new Map(),
  version: 1,
  createdAtS: 0,
})

const elsewhere = (backend: Backend): Backend => ({ ...backend, baseUrl: 'http://127.0.0.1:2/v1' })

const make = () => createAgents({ settings: SETTINGS, clock: fakeClock() })

describe('createAgents', () => {
  test('one agent per backend, even at the same place', () => {
    const agents = make()
    const one = backendAt(1, { id: 'one' })
    const two = backendAt(1, { id: 'two' })
    expect(agents.of(one)).toBe(agents.of({ ...one }))
    expect(agents.of(two)).not.toBe(agents.of(one))
    expect([...agents.stats().keys()]).toEqual(['one', 'two'])
  })

  test('a new catalogue keeps the agent, and the connection, of what stayed the same', async () => {
    await using server = await rawServer(always(plain('yes')))
    const agents = make()
    const backend = backendAt(server.port)
    const agent = agents.of(backend)
    await ask(agent)
    agents.update(catalogue({ ...backend, region: 'fr', enabled: false, slots: 3 }), SETTINGS)
    expect(agents.of({ ...backend, region: 'fr' })).toBe(agent)
    expect(agent.stats().slots).toBe(3)
    await ask(agent)
    expect(server.accepted).toBe(1)
    agents.close()
    expect(agent.stats().connectionsOpen).toBe(0)
  })

  test('one that rests gives up what it keeps, and opens nothing until it is wanted', async () => {
    await using server = await rawServer(always(plain('yes')))
    const clock = fakeClock()
    const settings = { ...SETTINGS, warm: 1, keepWarmMs: 600_000 }
    const agents = createAgents({ settings, clock })
    const backend = backendAt(server.port)
    const agent = agents.of(backend)
    await ask(agent)
    agents.update(catalogue(backend), settings, (one) => one.id === 'other')
    expect(agent.stats()).toMatchObject({ connectionsOpen: 1, path: { isKeptWarm: true } })
    agents.update(catalogue(backend), settings, (one) => one.id === backend.id)
    expect(agents.of(backend)).toBe(agent)
    for (let passed = 0; passed < 10; passed++) clock.advance(1000)
    expect(agent.stats()).toMatchObject({ connectionsOpen: 0, connectionsDialling: 0, path: { isKeptWarm: false } })
    agent.keepWarm()
    await until(() => agent.stats().connectionsOpen === 1)
    agents.close()
  })

  test.each([
    ['another place', { baseUrl: 'http://127.0.0.1:2/v1' }],
    ['another authority', { tls: { caPem: 'PEM', client: null } }],
    ['another certificate of ours', { tls: { caPem: null, client: { certPem: 'PEM', keyPem: 'PEM' } } }],
    ['another proxy', { proxy: { host: 'proxy', port: 3128, authorization: null } }],
  ])('%s: a new agent', (_name, change) => {
    const agents = make()
    const before = backendAt(1, { slots: 1 })
    const after = { ...before, ...change }
    const older = agents.of(before)
    agents.update(catalogue(after), SETTINGS)
    expect(agents.of(after)).not.toBe(older)
    expect(agents.of(after)).toBe(agents.of({ ...after }))
    expect(agents.of(before)).toBe(older) // for requests that began under the older catalogue
    agents.close()
  })

  test('the older agent keeps nothing, but serves who waits', async () => {
    const answer = gate()
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await answer.opened
      await peer.write(plain('yes'))
    })
    const agents = make()
    const before = backendAt(server.port, { slots: 1 })
    const older = agents.of(before)
    const busy = new Probe(older)
    const waited = Promise.withResolvers<boolean>()
    older.join({
      offer(slot) {
        queueMicrotask(() => older.release(slot))
        waited.resolve(true)
        return true
      },
    })
    agents.update(catalogue(elsewhere(before)), SETTINGS)
    answer.open()
    expect((await busy.ended.promise).kind).toBe('ended')
    expect(await waited.promise).toBe(true)
    expect(older.stats()).toMatchObject({ connectionsIdle: 0, connectionsOpen: 0 })
    agents.close()
  })

  test('an agent that is used no more is forgotten; its backend, should it be asked for, gets one that keeps nothing', async () => {
    await using server = await rawServer(always(plain('yes')))
    const agents = make()
    const before = backendAt(server.port, { slots: 1 })
    const older = agents.of(before)
    agents.update(catalogue(), SETTINGS)
    agents.update(catalogue(), SETTINGS)
    const again = agents.of(before)
    expect(again).not.toBe(older)
    expect(await ask(again)).toMatchObject({ body: 'yes' })
    expect(again.stats().connectionsOpen).toBe(0)
    expect([...agents.stats().keys()]).toEqual([])
    agents.close()
  })

  test('a backend that comes back while its older agent is busy gets that one: never more slots than it has', async () => {
    const answer = gate()
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await answer.opened
      await peer.write(plain('yes'))
    })
    const agents = make()
    const backend = backendAt(server.port, { slots: 1 })
    const busy = new Probe(agents.of(backend))
    agents.update(catalogue(elsewhere(backend)), SETTINGS)
    agents.update(catalogue({ ...backend }), SETTINGS)
    expect(agents.of(backend).take()).toBeNull()
    answer.open()
    expect((await busy.ended.promise).kind).toBe('ended')
    expect(agents.of(backend).stats()).toMatchObject({ slotsTaken: 0, connectionsIdle: 1 })
    agents.close()
  })

  test('new settings hold for what is kept from now on', async () => {
    await using server = await rawServer(always(plain('yes')))
    const agents = make()
    const backend = backendAt(server.port)
    agents.update(catalogue(backend), SETTINGS)
    await ask(agents.of(backend))
    expect(agents.of(backend).stats().connectionsIdle).toBe(1)
    agents.update(catalogue(backend), { ...SETTINGS, idleMax: 0 })
    await ask(agents.of(backend))
    expect(agents.of(backend).stats().connectionsIdle).toBe(0)
    agents.close()
  })

  test('after closing nothing is sent', () => {
    const agents = make()
    const early = agents.of(backendAt(1))
    agents.close()
    expect(early.take()).toBeNull()
    expect(agents.of(backendAt(2, { id: 'late' })).take()).toBeNull()
  })
})
