import { describe, expect, test } from 'bun:test'
import { createAgents, createOutbound } from '../../../src/agents/index.ts'
import { ownPlaceId } from '../../../src/domain/index.ts'
import { parseAddressRange } from '../../../src/lib/index.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { always, gate, plain, rawServer } from '../../support/raw-server.ts'
import { makeCertificates } from './certificates.ts'
import { ask, backendAt, Probe, REQUEST, SETTINGS, until } from './probe.ts'

const { caPem, good } = makeCertificates()
const ID = ownPlaceId({ id: 'cred_1' })

/** Agents that may reach one port of this machine; `names` is what the names stand for, at each moment. */
function agentsAt(port: number, names: Record<string, string[]> = { localhost: ['127.0.0.1'] }) {
  const clock = fakeClock()
  const allowPrivate = [parseAddressRange('127.0.0.1')].filter((range) => range !== null)
  const network = { allowPrivate, ports: [port], caFile: { path: 'ca.pem', pem: caPem } }
  const asked: string[] = []
  const outbound = createOutbound({
    clock,
    settings: () => network,
    ownAddresses: () => [],
    lookup: async (host) => {
      asked.push(host)
      return (names[host] ?? []).map((ip) => ({ ip, ttlS: 300 }))
    },
  })
  const agents = createAgents({ settings: { ...SETTINGS, warm: 3, keepWarmMs: 600_000 }, clock, outbound })
  const backend = backendAt(`https://localhost:${port}/v1`, { id: ID, slots: 2 })
  return { agents, backend, clock, asked }
}

describe('the agent of an own place', () => {
  test('accepts = requests = names looked up: nothing is kept, warmed, pinged', async () => {
    await using server = await rawServer(always(plain('yes')), good)
    const { agents, backend, clock, asked } = agentsAt(server.port)
    for (let n = 0; n < 5; n++) {
      agents.of(backend).keepWarm()
      expect(await ask(agents.of(backend))).toEqual({ kind: 'ended', status: 200, body: 'yes' })
    }
    for (let passed = 0; passed < 100; passed++) clock.advance(1000)
    expect(server.requests).toHaveLength(5)
    expect(server.accepted).toBe(5)
    expect(asked).toHaveLength(5)
    expect(agents.stats().size).toBe(0)
    expect(clock.timers).toBe(0)
  })

  test('a name that turns to another address is refused from the next request on, and before it is dialled', async () => {
    await using server = await rawServer(always(plain('yes')), good)
    const names: Record<string, string[]> = { localhost: ['127.0.0.1'] }
    const { agents, backend } = agentsAt(server.port, names)
    expect(await ask(agents.of(backend))).toMatchObject({ kind: 'ended' })
    for (const flipped of [['127.0.0.2'], ['10.0.0.1'], ['8.8.8.8', '169.254.169.254'], ['::ffff:127.0.0.3']]) {
      names.localhost = flipped
      expect(await ask(agents.of(backend))).toMatchObject({ kind: 'unsent', reason: 'address' })
    }
    expect(server.accepted).toBe(1)
  })

  test('is never sent a request twice, not even when it closes before it answers', async () => {
    await using server = await rawServer(async (peer) => {
      await peer.request()
      peer.reset()
    }, good)
    const { agents, backend } = agentsAt(server.port)
    expect(await ask(agents.of(backend), { resend: 'stale' })).toMatchObject({ kind: 'failed', reason: 'reset' })
    expect(server.requests).toHaveLength(1)
  })

  test('has slots and a line like any other, and is forgotten when nobody uses it', async () => {
    const go = gate()
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await go.opened
      await peer.write(plain('late'))
    }, good)
    const { agents, backend } = agentsAt(server.port)
    const agent = agents.of(backend)
    const probes = [new Probe(agent), new Probe(agent)]
    expect(agents.of({ ...backend })).toBe(agent)
    expect(agent.take()).toBeNull()
    const offered = Promise.withResolvers<void>()
    agent.join({
      offer(slot) {
        offered.resolve()
        queueMicrotask(() => agent.release(slot))
        return true
      },
    })
    expect(agent.stats()).toMatchObject({ slots: 2, slotsTaken: 2, waiters: 1 })
    await until(() => server.requests.length === 2)
    go.open()
    for (const probe of probes) expect(await probe.ended.promise).toMatchObject({ kind: 'ended', body: 'late' })
    await offered.promise
    await until(() => agent.stats().slotsTaken === 0)
    expect(agents.of(backend)).not.toBe(agent)
  })

  test('is remembered while anybody uses it or waits for it, and no longer', () => {
    const { agents, backend } = agentsAt(1)
    const agent = agents.of(backend)
    const slots = [agent.take(), agent.take()].filter((slot) => slot !== null)
    const waiter = { offer: () => false }
    agent.join(waiter)
    expect(agent.stats()).toMatchObject({ slotsTaken: 2, waiters: 1 })
    agent.leave(waiter)
    expect(agent.stats().waiters).toBe(0)
    agent.keepWarm()
    for (const slot of slots) {
      expect(agents.of(backend)).toBe(agent)
      agent.release(slot)
    }
    const next = agents.of(backend)
    expect(next).not.toBe(agent)
    next.keepWarm()
    expect(agents.of(backend)).not.toBe(next)
    const left = agents.of(backend)
    left.join(waiter)
    expect(left.stats()).toMatchObject({ slotsTaken: 0, waiters: 0 })
  })

  test('misuse of a slot is a bug', () => {
    const { agents, backend } = agentsAt(1)
    const agent = agents.of(backend)
    const other = agents.of({ ...backend, id: ownPlaceId({ id: 'cred_2' }) })
    const slot = agent.take()
    if (slot === null) throw new Error('no slot')
    const nobody = { head() {}, body() {}, end() {}, failure() {} }
    expect(() => other.send(slot, REQUEST, nobody)).toThrow('without a slot')
    expect(() => other.release(slot)).toThrow('at another agent')
    expect(agent.stats()).toMatchObject({ slotsTaken: 1, requestsSent: 0 })
    agent.release(slot)
    expect(() => agent.release(slot)).toThrow('released twice')
    expect(() => agent.send(slot, REQUEST, nobody)).toThrow('without a slot')
  })

  test('that has ended gives no slots, and lets go who waits', () => {
    const { agents, backend } = agentsAt(1)
    const agent = agents.of({ ...backend, slots: 1 })
    const slot = agent.take()
    if (slot === null) throw new Error('no slot')
    const waiter = { offer: (): boolean => expect.unreachable('it has ended') }
    agent.join(waiter)
    agent.close()
    agent.release(slot)
    agent.join(waiter)
    expect(agent.take()).toBeNull()
    expect(agent.stats()).toMatchObject({ slotsTaken: 0, waiters: 0 })
  })

  test('tells of its requests, and of no connections', async () => {
    await using server = await rawServer(always(plain('yes')), good)
    const { agents, backend } = agentsAt(server.port)
    const agent = agents.of(backend)
    const slot = agent.take()
    await ask(agent)
    expect(agent.backend).toBe(ID)
    expect(agent.stats()).toMatchObject({
      ...{ slots: 2, slotsTaken: 1, requestsSent: 1, requestsOnKept: 0, resends: 0 },
      ...{ connectionsDialling: 0, connectionsOpen: 0, connectionsIdle: 0, connectionsOpened: 0 },
      path: { isKeptWarm: false, pings: 0, pingsFailed: 0, pingState: 'off' },
    })
    if (slot !== null) agent.release(slot)
  })

  test('a name in the configuration is never taken for one', () => {
    const agents = createAgents({ settings: SETTINGS, clock: fakeClock() })
    expect(() => agents.of(backendAt(1, { id: ID }))).toThrow('no way to own places')
    expect(agents.of(backendAt(1, { id: 'own' })).stats().slots).toBe(64)
  })
})
