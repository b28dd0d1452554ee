import { describe, expect, test } from 'bun:test'
import { gate, plain, rawServer } from '../../support/raw-server.ts'
import { agentOf, ask, backendAt, Probe, until } from './probe.ts'

const HALF = 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nyes'

describe('the idle limit', () => {
  const limits = { connectMs: 5000, idleMs: 1000 }

  test('counts from the last byte, not before the head, and not while paused', async () => {
    const head = gate()
    const more = gate()
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await head.opened
      await peer.write(HALF)
      await more.opened
      await peer.write('y')
      await peer.closed
    })
    using agent = agentOf(backendAt(server.port))
    const probe = new Probe(agent, { limits })
    await until(() => server.requests.length === 1)
    agent.clock.advance(100_000)
    head.open()
    await probe.received(3)
    agent.clock.advance(999)
    more.open()
    await probe.received(4)
    agent.clock.advance(990)
    expect(probe.reports).not.toContain('failure')
    probe.exchange.pause()
    agent.clock.advance(100_000)
    probe.exchange.resume()
    agent.clock.advance(9)
    expect(probe.reports).not.toContain('failure')
    agent.clock.advance(1)
    expect(probe.reports.at(-1)).toBe('failure')
    expect(await probe.ended.promise).toMatchObject({ kind: 'failed', reason: 'idle_timeout', sent: true })
    expect(agent.stats()).toMatchObject({ connectionsOpen: 0, slotsTaken: 0 })
    expect(agent.clock.timers).toBe(0)
  })

  test('leaves no timer behind when the answer ends', async () => {
    const more = gate()
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.write(HALF)
      await more.opened
      await peer.write('yes')
      peer.end()
    })
    using agent = agentOf(backendAt(server.port), { idleMax: 0 })
    const probe = new Probe(agent, { limits })
    await probe.received(3)
    expect(agent.clock.timers).toBe(1)
    more.open()
    await probe.ended.promise
    agent.clock.advance(500) // the sweep sees that nothing is kept
    expect(agent.clock.timers).toBe(0)
  })
})

describe('abort', () => {
  /** Aborts when `phase` is reached: the connection is gone in the same tick, nothing is reported, the agent goes on. */
  async function aborts(firstAnswer: string, phase: (probe: Probe) => Promise<unknown>, body?: Buffer): Promise<void> {
    const gone = gate()
    await using server = await rawServer(async (peer) => {
      if (peer.number === 0) {
        if (body === undefined) await peer.request()
        else peer.pause()
        await peer.write(firstAnswer)
        await peer.closed
        gone.open()
      } else {
        await peer.request()
        await peer.write(plain('next'))
      }
    })
    using agent = agentOf(backendAt(server.port, { slots: 1 }))
    const probe = new Probe(agent, body === undefined ? {} : { body })
    await phase(probe)
    const reports = [...probe.reports]
    probe.exchange.abort()
    probe.exchange.abort()
    expect(agent.stats()).toMatchObject({ connectionsOpen: 0, connectionsIdle: 0 })
    agent.release(probe.slot)
    expect(await ask(agent)).toEqual({ kind: 'ended', status: 200, body: 'next' })
    if (body === undefined) await gone.opened
    expect(probe.reports).toEqual(reports)
    expect(agent.stats()).toMatchObject({ slotsTaken: 0, connectionsOpened: 2 })
  }

  test('while the backend says nothing', () => aborts('', (probe) => until(() => probe.exchange.sentCompletely)))
  test('in the middle of a body', () => aborts(HALF, (probe) => probe.received(3)))
  test('while paused', () =>
    aborts(HALF, async (probe) => {
      await probe.received(3)
      probe.exchange.pause()
    }))
  test('while the request is being sent', () =>
    aborts('', (probe) => until(() => probe.exchange.timing().connection === 'new'), Buffer.alloc(16 * 1024 * 1024)))

  test.each(['onHead', 'onBody'] as const)('from within a report: %s', async (hook) => {
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n')
    })
    using agent = agentOf(backendAt(server.port))
    const aborted = gate()
    const probe = new Probe(
      agent,
      {},
      {
        [hook]: () => {
          probe.exchange.abort()
          aborted.open()
        },
      },
    )
    await aborted.opened
    await until(() => server.open === 0)
    expect(probe.reports).toEqual(hook === 'onHead' ? ['head'] : ['head', 'body'])
    agent.release(probe.slot)
    expect(agent.stats()).toMatchObject({ connectionsOpen: 0, slotsTaken: 0 })
  })

  test('while the connection is being dialled: it is closed as soon as it is there, and nothing is sent', async () => {
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.write(plain('next'))
    })
    using agent = agentOf(backendAt(server.port, { slots: 1 }))
    const probe = new Probe(agent)
    probe.exchange.abort()
    agent.release(probe.slot)
    expect(await ask(agent)).toMatchObject({ body: 'next' })
    await until(() => server.accepted === 2 && server.open === 1)
    expect(probe.reports).toEqual([])
    expect(server.requests.length).toBe(1)
    expect(agent.stats()).toMatchObject({ requestsSent: 1, connectionsOpened: 1 })
  })

  test('after the end it does nothing', async () => {
    await using server = await rawServer(async (peer) => {
      for (;;) {
        await peer.request()
        await peer.write(plain('yes'))
      }
    })
    using agent = agentOf(backendAt(server.port))
    const probe = new Probe(agent)
    await probe.ended.promise
    probe.exchange.abort()
    expect(agent.stats().connectionsIdle).toBe(1)
    await ask(agent)
    expect(server.accepted).toBe(1)
  })
})

test('the time is split into connect, write and first byte', async () => {
  const answer = gate()
  await using server = await rawServer(async (peer) => {
    for (;;) {
      await peer.request()
      await answer.opened
      await peer.write(plain('yes'))
    }
  })
  using agent = agentOf(backendAt(server.port))
  const first = new Probe(agent)
  const none = { dnsUs: null, connectUs: null, tlsUs: null, writeUs: null, firstByteUs: null, connectionAgeMs: null }
  expect(first.exchange.timing()).toEqual({ ...none, connection: 'unsent' })
  agent.clock.advance(7)
  await until(() => server.requests.length === 1)
  expect(first.exchange.timing()).toEqual({
    ...none,
    connectUs: 7000,
    writeUs: 0,
    connection: 'new',
    connectionAgeMs: 0,
  })
  agent.clock.advance(5)
  answer.open()
  await first.ended.promise
  expect(first.exchange.timing().firstByteUs).toBe(5000)
  agent.clock.advance(30)
  const second = new Probe(agent)
  await second.ended.promise
  expect(second.exchange.timing()).toEqual({
    ...none,
    writeUs: 0,
    firstByteUs: 0,
    connection: 'kept',
    connectionAgeMs: 35,
  })
})
