import { describe, expect, test } from 'bun:test'
import { always, gate, type Peer, plain, rawServer, type Script } from '../../support/raw-server.ts'
import { agentOf, ask, backendAt, Probe, until } from './probe.ts'

const OK = { kind: 'ended', status: 200, body: 'yes' } as const
const LARGE = Buffer.alloc(16 * 1024 * 1024, 'abcdefgh')

/** Answers the first request of the first connection; `then` plays the second one there. Other connections answer always. */
const staleAfterOne =
  (then: (peer: Peer) => Promise<void>): Script =>
  async (peer) => {
    if (peer.number > 0) return always(plain('yes'))(peer)
    await peer.request()
    await peer.write(plain('yes'))
    await then(peer)
  }

const RESET_LATER = staleAfterOne(async (peer) => {
  await peer.request()
  peer.reset()
})

describe('a kept connection that was closed', () => {
  test.each([
    ['reset', (peer: Peer) => peer.reset()],
    ['FIN', (peer: Peer) => peer.end()],
  ])('%s instead of an answer: the request is sent once more on a new connection', async (_name, act) => {
    await using server = await rawServer(
      staleAfterOne(async (peer) => {
        await peer.request()
        act(peer)
      }),
    )
    using agent = agentOf(backendAt(server.port))
    await ask(agent)
    const probe = new Probe(agent)
    expect(await probe.ended.promise).toEqual(OK)
    expect(probe.reports).toEqual(['head', 'body', 'end'])
    expect(probe.exchange.timing()).toMatchObject({ connection: 'resent', connectionAgeMs: 0 })
    expect(server.requests.length).toBe(3)
    expect(agent.stats()).toMatchObject({ connectionsOpened: 2, requestsSent: 2, resends: 1, slotsTaken: 0 })
  })

  test('200 of 200 requests survive a backend that closes after each answer', async () => {
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.write(plain('yes'))
      peer.end()
    })
    using agent = agentOf(backendAt(server.port))
    for (let n = 0; n < 200; n++) expect(await ask(agent)).toEqual(OK)
  })

  test('never twice', async () => {
    await using server = await rawServer(async (peer) => {
      await peer.request()
      if (peer.number === 0) {
        await peer.write(plain('yes'))
        await peer.request()
      }
      peer.reset()
    })
    using agent = agentOf(backendAt(server.port))
    await ask(agent)
    expect(await ask(agent)).toMatchObject({ kind: 'failed', reason: 'reset', sent: true })
    expect(server.requests.length).toBe(3)
  })

  test('also where nothing is said of it', async () => {
    await using server = await rawServer(RESET_LATER)
    using agent = agentOf(backendAt(server.port))
    await ask(agent)
    const slot = agent.take()
    if (slot === null) throw new Error('no slot')
    const { promise, resolve } = Promise.withResolvers<string>()
    const limits = { connectMs: 5000, idleMs: 5000 }
    agent.send(
      slot,
      { method: 'POST', target: '/v1', headers: [], body: null, limits },
      { head: () => {}, body: () => {}, end: () => resolve('ended'), failure: ({ message }) => resolve(message) },
    )
    expect(await promise).toBe('ended')
    agent.release(slot)
  })

  test('never where the backend says so', async () => {
    await using server = await rawServer(RESET_LATER)
    using agent = agentOf(backendAt(server.port))
    await ask(agent, { resend: 'never' })
    expect(await ask(agent, { resend: 'never' })).toMatchObject({ kind: 'failed', reason: 'reset' })
    expect(agent.stats().resends).toBe(0)
  })

  test.each([
    ['reset', (peer: Peer) => peer.reset()],
    ['FIN', (peer: Peer) => peer.end()],
  ])('%s: never after a byte of an answer', async (_name, act) => {
    const read = gate()
    await using server = await rawServer(
      staleAfterOne(async (peer) => {
        await peer.request()
        await peer.write('H')
        await read.opened // what a reset overtakes is lost
        act(peer)
      }),
    )
    using agent = agentOf(backendAt(server.port))
    await ask(agent)
    const probe = new Probe(agent)
    await until(() => probe.exchange.timing().firstByteUs !== null)
    read.open()
    expect(await probe.ended.promise).toMatchObject({ kind: 'failed', reason: 'reset', sent: true })
    expect(agent.stats().resends).toBe(0)
  })

  // The clock stands still but for what is named: a dial of 100 ms makes a window of 2 × 100 + 20 ms.
  test.each([
    [0, 25, true],
    [0, 26, false],
    [100, 220, true],
    [100, 221, false],
    [1000, 400, true],
    [1000, 401, false],
  ])(
    'dialled in %i ms, closed %i ms after the request was sent: sent once more %p',
    async (dialMs, closeMs, isResent) => {
      const late = gate()
      await using server = await rawServer(
        staleAfterOne(async (peer) => {
          await peer.request()
          await late.opened
          peer.reset()
        }),
      )
      using agent = agentOf(backendAt(server.port))
      const first = new Probe(agent)
      agent.clock.advance(dialMs)
      await first.ended.promise
      const second = new Probe(agent)
      await until(() => server.requests.length === 2)
      agent.clock.advance(closeMs)
      late.open()
      expect((await second.ended.promise).kind).toBe(isResent ? 'ended' : 'failed')
      expect(agent.stats().resends).toBe(isResent ? 1 : 0)
    },
  )

  test('at any time while the body is not complete', async () => {
    const late = gate()
    await using server = await rawServer(
      staleAfterOne(async (peer) => {
        peer.pause()
        await late.opened
        peer.reset()
      }),
    )
    using agent = agentOf(backendAt(server.port))
    await ask(agent)
    const probe = new Probe(agent, { body: LARGE })
    agent.clock.advance(60_000)
    expect(probe.exchange.sentCompletely).toBe(false)
    late.open()
    expect(await probe.ended.promise).toEqual(OK)
    expect(server.requests.at(-1)?.body.length).toBe(LARGE.length)
  })

  test('when no new connection can be opened the request counts as sent: the backend may have it', async () => {
    await using server = await rawServer(
      staleAfterOne(async (peer) => {
        await peer.request()
        server.stopListening()
        peer.reset()
      }),
    )
    using agent = agentOf(backendAt(server.port))
    await ask(agent)
    const probe = new Probe(agent)
    expect(await probe.ended.promise).toMatchObject({ kind: 'failed', reason: 'reset', sent: true })
    expect(probe.exchange.sentCompletely).toBe(true)
    expect(probe.exchange.timing().connection).toBe('resent')
  })
})
