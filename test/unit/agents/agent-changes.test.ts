import { describe, expect, spyOn, test } from 'bun:test'
import { ConnectionRoom } from '../../../src/agents/connection-room.ts'
import { always, gate, plain, rawServer } from '../../support/raw-server.ts'
import { agentOf, ask, backendAt, Probe, SETTINGS, until } from './probe.ts'

const OK = { kind: 'ended', status: 200, body: 'yes' } as const

describe('what changes while an agent runs', () => {
  test('its slots, what it keeps, and how it is pinged', async () => {
    await using server = await rawServer(always(plain('yes')))
    const backend = backendAt(server.port, { slots: 1 })
    using agent = agentOf(backend, {}, { credentialHeaders: () => [['authorization', 'Bearer s']] })
    await ask(agent)
    const { ping } = backend
    if (ping === null) throw new Error('it is pinged')
    const settings = { ...SETTINGS, warm: 1, keepWarmMs: 600_000 }
    agent.adjust(settings, {
      ...{ ...backend, slots: 2 },
      ping: { ...ping, path: '/health', everyMs: 3000, withCredential: true },
    })
    expect(agent.stats()).toMatchObject({ slots: 2, path: { pingState: 'on' } })
    await ask(agent)
    agent.clock.advance(3000)
    await until(() => server.requests.length === 3)
    expect(server.requests[2]?.head).toStartWith('GET /v1/health HTTP/1.1')
    expect(server.requests[2]?.head).toContain('authorization: Bearer s')
    agent.adjust(settings, { ...backend, ping: null })
    expect(agent.stats()).toMatchObject({ slots: 1, path: { pingState: 'off' } })
  })

  test('pings that were left off for their cost are tried again', async () => {
    await using server = await rawServer(async (peer) => {
      for (;;) {
        const { head } = await peer.request()
        await peer.write(plain('yes', { headers: head.startsWith('GET ') ? ['connection: close'] : [] }))
      }
    })
    const backend = backendAt(server.port)
    const settings = { ...SETTINGS, warm: 1, keepWarmMs: 600_000 }
    using agent = agentOf(backend, settings)
    await ask(agent)
    for (let ping = 1; ping <= 2; ping++) {
      agent.clock.advance(15_000)
      await until(() => agent.stats().path.pings === ping && agent.stats().path.lastPing !== null)
      await until(() => agent.stats().connectionsIdle === 1 || agent.stats().path.pingState === 'costly')
    }
    expect(agent.stats().path.pingState).toBe('costly')
    agent.adjust(settings, backend)
    expect(agent.stats().path.pingState).toBe('on')
  })

  test('the time that a connection ahead may take', async () => {
    let resolve: (() => void) | null = null
    const resolver = {
      find: () =>
        new Promise<never>(() => {
          resolve?.()
        }),
      demote() {},
      doubt() {},
    }
    const backend = backendAt('http://slow.example/v1')
    const settings = { ...SETTINGS, warm: 1, keepWarmMs: 600_000 }
    using agent = agentOf(backend, settings, { resolver })
    agent.adjust(settings, { ...backend, limits: { ...backend.limits, connectMs: 300 } })
    const { promise, resolve: asked } = Promise.withResolvers<void>()
    resolve = asked
    agent.keepWarm()
    await promise
    expect(agent.stats().connectionsDialling).toBe(1)
    agent.clock.advance(300)
    expect(agent.stats().connectionsDialling).toBe(0)
  })
})

describe('the end of an agent', () => {
  test('is for good: who waits is let go, and nothing brings it back', () => {
    using agent = agentOf(backendAt(1, { slots: 1 }))
    const slot = agent.take()
    if (slot === null) throw new Error('no slot')
    const waiter = { offer: (): boolean => expect.unreachable('it has ended') }
    agent.join(waiter)
    agent.close()
    agent.release(slot)
    agent.join(waiter)
    agent.retire()
    expect(agent.take()).toBeNull()
    agent.revive()
    expect(agent.take()).toBeNull()
    expect(agent.stats()).toMatchObject({ slotsTaken: 0, waiters: 0 })
  })

  test('one that was retired and is back makes room for others as before', async () => {
    await using server = await rawServer(always(plain('yes')))
    const room = new ConnectionRoom(1)
    using one = agentOf(backendAt(server.port, { id: 'one' }), {}, { room })
    using two = agentOf(backendAt(server.port, { id: 'two' }), {}, { room })
    const part = spyOn(room, 'part')
    one.retire()
    expect(part.mock.calls).toEqual([[one]]) // or it would be remembered there for ever
    expect(await ask(one)).toEqual(OK)
    expect([one.stats().connectionsOpen, room.taken]).toEqual([0, 0])
    one.revive()
    expect(await ask(one)).toEqual(OK)
    expect([one.stats().connectionsIdle, room.taken]).toEqual([1, 1])
    expect(await ask(two)).toEqual(OK)
    expect([one.stats().connectionsIdle, room.taken]).toEqual([0, 1])
  })

  test('closing ends idle connections now and busy ones with their answer; nothing more is sent', async () => {
    const answer = gate()
    await using server = await rawServer(async (peer) => {
      const { head } = await peer.request()
      if (head.includes('/busy')) await answer.opened
      await peer.write(plain('yes'))
      await peer.closed
    })
    using agent = agentOf(backendAt(server.port))
    const idle = ask(agent)
    const busy = new Probe(agent, { target: '/busy' })
    const slot = agent.take()
    await idle
    await until(() => server.requests.length === 2)
    agent.close()
    expect(agent.stats()).toMatchObject({ connectionsIdle: 0, connectionsOpen: 1 })
    expect(agent.take()).toBeNull()
    answer.open()
    expect(await busy.ended.promise).toEqual(OK)
    expect(agent.stats().connectionsOpen).toBe(0)
    if (slot === null) throw new Error('no slot')
    const failure = Promise.withResolvers<unknown>()
    agent.send(
      slot,
      { method: 'GET', target: '/', headers: [], body: null, limits: { connectMs: 1, idleMs: 1 }, resend: 'stale' },
      { head() {}, body() {}, end() {}, failure: failure.resolve },
    )
    expect(await failure.promise).toMatchObject({ kind: 'unsent', reason: 'connect' })
    expect(server.accepted).toBe(2)
  })
})
