import { describe, expect, test } from 'bun:test'
import type { Resolved, Resolver } from '../../../src/agents/resolver.ts'
import { always, gate, plain, rawServer, type Script } from '../../support/raw-server.ts'
import { agentOf, ask, backendAt, Probe, REQUEST, until } from './probe.ts'

const OK = { kind: 'ended', status: 200, body: 'yes' } as const

/** Answers one request in the given way, then does what `after` says. */
const once =
  (answer: string, after: Script = async () => {}): Script =>
  async (peer) => {
    await peer.request()
    await peer.write(answer)
    await after(peer)
  }

describe('connections', () => {
  test('100 requests one after the other use one connection', async () => {
    await using server = await rawServer(always(plain('yes')))
    using agent = agentOf(backendAt(server.port))
    for (let n = 0; n < 100; n++) expect(await ask(agent)).toEqual(OK)
    expect(server.accepted).toBe(1)
    expect(agent.stats()).toMatchObject({
      connectionsOpened: 1,
      connectionsOpen: 1,
      requestsSent: 100,
      requestsOnKept: 99,
    })
  })

  test('20 requests at once get 20 connections, and all start before any is answered', async () => {
    const all = gate()
    await using server = await rawServer(async (peer) => {
      await peer.request()
      if (server.requests.length === 20) all.open()
      await all.opened
      await peer.write(plain('yes'))
    })
    using agent = agentOf(backendAt(server.port))
    expect(await Promise.all(Array.from({ length: 20 }, () => ask(agent)))).toEqual(Array(20).fill(OK))
    expect(server.accepted).toBe(20)
    expect(agent.stats()).toMatchObject({ connectionsIdle: 20, slotsTaken: 0 })
  })

  test('the request arrives as it was given, with host and length', async () => {
    await using server = await rawServer(always(plain('yes')))
    using agent = agentOf(backendAt(server.port))
    await ask(agent, { target: '/v1/x?y=1', headers: [['authorization', 'Bearer s']], body: Buffer.from('héllo') })
    expect(server.requests[0]?.head.split('\r\n')).toEqual([
      'POST /v1/x?y=1 HTTP/1.1',
      `host: 127.0.0.1:${server.port}`,
      'authorization: Bearer s',
      'content-length: 6',
    ])
    expect(server.requests[0]?.body.toString()).toBe('héllo')
  })

  test('the connection used last is used first', async () => {
    const used: number[] = []
    await using server = await rawServer(async (peer) => {
      for (;;) {
        await peer.request()
        used.push(peer.number)
        await peer.write(plain('yes'))
      }
    })
    using agent = agentOf(backendAt(server.port))
    await Promise.all([ask(agent), ask(agent), ask(agent)])
    used.length = 0
    for (let n = 0; n < 5; n++) await ask(agent)
    expect(new Set(used).size).toBe(1)
  })

  const notKept: readonly [string, string][] = [
    ['Connection: close', plain('yes', { headers: ['Connection: keep-alive, Close'] })],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 3\r\n\r\nyes'],
    [
      'length and coding',
      'HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n3\r\nyes\r\n0\r\n\r\n',
    ],
    ['bytes behind the answer', `${plain('yes')}HTTP/1.1 200 OK\r\n\r\n`],
    ['a life of one second', plain('yes', { headers: ['keep-alive: timeout=1'] })],
  ]
  test.each(notKept)('an answer with %s is taken, and its connection closed', async (_name, answer) => {
    await using server = await rawServer(once(answer, async (peer) => peer.closed))
    using agent = agentOf(backendAt(server.port))
    expect(await ask(agent)).toEqual(OK)
    expect(agent.stats()).toMatchObject({ connectionsOpen: 0, connectionsIdle: 0 })
    expect(await ask(agent)).toEqual(OK)
    expect(server.accepted).toBe(2)
  })

  test('a body that ends with its connection is complete, and the connection gone', async () => {
    await using server = await rawServer(once('HTTP/1.1 200 OK\r\n\r\nyes', async (peer) => peer.end()))
    using agent = agentOf(backendAt(server.port))
    expect(await ask(agent)).toEqual(OK)
    expect(agent.stats().connectionsOpen).toBe(0)
  })

  test.each([
    ['FIN', (peer: Parameters<Script>[0]) => peer.end()],
    ['reset', (peer: Parameters<Script>[0]) => peer.reset()],
    ['unsolicited bytes', (peer: Parameters<Script>[0]) => void peer.write('HTTP/1.1 408 Request Timeout\r\n\r\n')],
  ])('%s on an idle connection closes it at once', async (_name, act) => {
    const idle = gate()
    await using server = await rawServer(
      once(plain('yes'), async (peer) => {
        await idle.opened
        act(peer)
      }),
    )
    using agent = agentOf(backendAt(server.port))
    await ask(agent)
    expect(agent.stats().connectionsIdle).toBe(1)
    idle.open()
    await until(() => agent.stats().connectionsIdle === 0)
    expect(agent.stats().connectionsOpen).toBe(0)
    await ask(agent)
    expect(agent.stats()).toMatchObject({ connectionsOpened: 2, requestsOnKept: 0, resends: 0 })
  })
})

describe('slots', () => {
  test('a connection is kept within the slots, and a full agent gives none', async () => {
    const answer = gate()
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await answer.opened
      await peer.write(plain('yes'))
    })
    using agent = agentOf(backendAt(server.port, { slots: 2 }))
    const probes = [new Probe(agent), new Probe(agent)]
    expect(agent.take()).toBeNull()
    expect(agent.stats()).toMatchObject({ slots: 2, slotsTaken: 2 })
    answer.open()
    await Promise.all(probes.map((probe) => probe.ended.promise))
    expect(agent.stats()).toMatchObject({ slotsTaken: 0, connectionsIdle: 2 })
  })

  test('a waiter is offered a freed slot in the tick of the last report, and finds the connection there', async () => {
    await using server = await rawServer(always(plain('yes')))
    using agent = agentOf(backendAt(server.port, { slots: 1 }))
    const first = new Probe(agent)
    const second = Promise.withResolvers<number>()
    agent.join({
      offer(slot) {
        second.resolve(agent.stats().connectionsIdle)
        queueMicrotask(() => agent.release(slot))
        return true
      },
    })
    expect(await second.promise).toBe(1)
    expect(first.reports.at(-1)).toBe('end')
  })

  test('misuse of a slot is a bug', async () => {
    const answer = gate()
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await answer.opened
      await peer.write(plain('yes'))
    })
    using agent = agentOf(backendAt(server.port))
    using other = agentOf(backendAt(server.port))
    const probe = new Probe(agent)
    expect(() => agent.release(probe.slot)).toThrow('before its exchange was over')
    expect(() => other.release(probe.slot)).toThrow('at another agent')
    const nobody = { head() {}, body() {}, end() {}, failure() {} }
    expect(() => agent.send(probe.slot, REQUEST, nobody)).toThrow('two requests were sent on one slot')
    expect(() => other.send(probe.slot, REQUEST, nobody)).toThrow('without a slot')
    expect(() => agent.send({ agent }, REQUEST, nobody)).toThrow('without a slot')
    answer.open()
    await probe.ended.promise
    expect(() => agent.release(probe.slot)).toThrow('released twice')
    expect(() => agent.send(probe.slot, REQUEST, nobody)).toThrow('without a slot')
    expect(server.requests).toHaveLength(1)
  })

  test('several requests may leave on one slot, one after the other', async () => {
    await using server = await rawServer(always(plain('yes')))
    using agent = agentOf(backendAt(server.port))
    const slot = agent.take()
    if (slot === null) throw new Error('no slot')
    for (let n = 0; n < 2; n++) {
      const { promise, resolve } = Promise.withResolvers<void>()
      agent.send(slot, REQUEST, { head() {}, body() {}, end: resolve, failure() {} })
      await promise
    }
    agent.release(slot)
    expect(agent.stats()).toMatchObject({ slotsTaken: 0, requestsSent: 2, requestsOnKept: 1 })
  })

  test('who has left the line is offered nothing', async () => {
    using agent = agentOf(backendAt(1, { slots: 1 }))
    const slot = agent.take()
    if (slot === null) throw new Error('no slot')
    const waiter = { offer: (): boolean => expect.unreachable('it has left') }
    agent.join(waiter)
    expect(agent.stats().waiters).toBe(1)
    agent.leave(waiter)
    agent.release(slot)
    expect(agent.stats()).toMatchObject({ waiters: 0, slotsTaken: 0 })
  })
})

describe('connections and requests that wait', () => {
  test('one that becomes free goes to the first whose own still dials; the next waits on', async () => {
    const answer = gate()
    await using server = await rawServer(async (peer) => {
      for (;;) {
        const { head } = await peer.request()
        if (head.includes('/busy')) await answer.opened
        await peer.write(plain('yes'))
      }
    })
    const known: Resolved = { kind: 'addresses', ips: ['127.0.0.1'] }
    const late = Promise.withResolvers<Resolved>()
    let asked = 0
    const resolver: Resolver = { find: () => (asked++ === 0 ? known : late.promise), demote() {}, doubt() {} }
    using agent = agentOf(backendAt(`http://named.test:${server.port}/v1`), {}, { resolver })
    const busy = new Probe(agent, { target: '/busy' })
    await until(() => server.requests.length === 1)
    const [first, second, third] = [new Probe(agent), new Probe(agent), new Probe(agent, { target: '/busy' })]
    answer.open()
    expect(await busy.ended.promise).toEqual(OK)
    expect(await Promise.all([first, second, third].map((probe) => probe.ended.promise))).toEqual([OK, OK, OK])
    expect(server.accepted).toBe(1)
    late.resolve(known)
    await until(() => agent.stats().connectionsIdle === 4)
    expect(agent.stats()).toMatchObject({ requestsOnKept: 3, connectionsOpened: 4 })
  })

  test('one too many for its slots, made beside a ping, is closed when it comes back', async () => {
    const answer = gate()
    await using server = await rawServer(async (peer) => {
      for (;;) {
        const { head } = await peer.request()
        if (head.startsWith('GET ')) await answer.opened
        await peer.write(plain('yes'))
      }
    })
    using agent = agentOf(backendAt(server.port, { slots: 1 }), { warm: 1, keepWarmMs: 600_000 })
    await ask(agent)
    agent.clock.advance(15_000)
    await until(() => server.requests.length === 2)
    expect(await ask(agent)).toEqual(OK)
    expect(agent.stats()).toMatchObject({ connectionsOpened: 2, connectionsOpen: 1 })
    answer.open()
    await until(() => agent.stats().path.lastPing !== null)
    expect(agent.stats().connectionsOpen).toBe(1)
  })

  test('how long dials took', async () => {
    await using server = await rawServer(always(plain('yes')))
    using agent = agentOf(backendAt(server.port))
    const probe = new Probe(agent)
    agent.clock.advance(30)
    await probe.ended.promise
    expect(agent.stats().path.connect).toEqual({ p50Us: 30_000, p95Us: 30_000, samples: 1 })
  })
})
