import { describe, expect, test } from 'bun:test'
import { delay, systemClock } from '../../../src/lib/index.ts'
import { always, gate, type Peer, plain, rawServer } from '../../support/raw-server.ts'
import { breathe } from '../../support/wire.ts'
import { makeCertificates } from './certificates.ts'
import { agentOf, ask, backendAt, Probe, until } from './probe.ts'

// What the other files of this folder prove of a part, here of whole agents against servers as they are met.

const OK = { kind: 'ended', status: 200, body: 'yes' } as const
const LARGE = Buffer.alloc(16 * 1024 * 1024, 'abcdefgh')
const { caPem, good } = makeCertificates()

/** Answers one request on each connection, then does this with it. */
const afterEach = (then: (peer: Peer) => Promise<void> | void) => async (peer: Peer) => {
  await peer.request()
  await peer.write(plain('yes'))
  await then(peer)
}

describe('a server that', () => {
  test('closes 2 ms after each answer: 200 of 200 POSTs are answered', async () => {
    const clock = systemClock()
    await using server = await rawServer(
      afterEach(async (peer) => {
        await delay(clock, 2)
        peer.end()
      }),
    )
    using agent = agentOf(backendAt(server.port))
    for (let n = 0; n < 200; n++) expect(await ask(agent)).toEqual(OK)
  })

  test('is silent on a kept connection gets the request once, and the caller leaves it', async () => {
    await using server = await rawServer(
      afterEach(async (peer) => {
        await peer.request()
        await peer.closed
      }),
    )
    using agent = agentOf(backendAt(server.port))
    await ask(agent)
    const probe = new Probe(agent)
    await until(() => server.requests.length === 2)
    agent.clock.advance(60_000)
    expect(probe.reports).toEqual([])
    probe.exchange.abort()
    agent.release(probe.slot)
    await until(() => server.open === 0)
    expect(server.requests).toHaveLength(2)
    expect(agent.stats()).toMatchObject({ connectionsOpened: 1, connectionsOpen: 0, resends: 0, slotsTaken: 0 })
  })

  test('accepts and never answers keeps its slot until the caller leaves', async () => {
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.closed
    })
    using agent = agentOf(backendAt(server.port, { slots: 1 }))
    const probe = new Probe(agent)
    await until(() => server.requests.length === 1)
    agent.clock.advance(600_000)
    expect(agent.take()).toBeNull()
    probe.exchange.abort()
    agent.release(probe.slot)
    await until(() => server.open === 0)
    expect(probe.reports).toEqual([])
  })

  test.each([30, 200, 900])(
    'reads the whole POST and closes %i ms later sees it once, on a new connection and on a kept one',
    async (closeMs) => {
      await using server = await rawServer(async (peer) => {
        if (peer.number === 1) {
          await peer.request()
          await peer.write(plain('yes'))
        }
        await peer.request()
        late.open()
        await closing.opened
        peer.end()
      })
      using agent = agentOf(backendAt(server.port))
      let late = gate()
      let closing = gate()
      for (const isKept of [false, true]) {
        if (isKept) expect(await ask(agent)).toEqual(OK)
        const seen = server.requests.length
        const probe = new Probe(agent)
        await late.opened
        agent.clock.advance(closeMs)
        closing.open()
        expect(await probe.ended.promise).toMatchObject({ kind: 'failed', reason: 'reset', sent: true })
        expect(server.requests.length).toBe(seen + 1)
        late = gate()
        closing = gate()
      }
      expect(agent.stats().resends).toBe(0)
    },
  )

  test('sends chunks with extensions and trailers is understood, and its connection kept', async () => {
    const answer =
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;name=value\r\ny\r\n2;a="b;c"\r\nes\r\n0;last\r\nx-checksum: 1\r\n\r\n'
    await using server = await rawServer(always(answer))
    using agent = agentOf(backendAt(server.port))
    for (let n = 0; n < 3; n++) expect(await ask(agent)).toEqual(OK)
    expect(server.accepted).toBe(1)
  })

  test('sends a head of nearly 64 KB is understood; a larger one is a failure', async () => {
    const filled = (size: number): string => plain('yes', { headers: [`x: ${'a'.repeat(size)}`] })
    await using large = await rawServer(always(filled(65_000)))
    using agent = agentOf(backendAt(large.port))
    for (let n = 0; n < 2; n++) expect(await ask(agent)).toEqual(OK)
    expect(large.accepted).toBe(1)
    await using tooLarge = await rawServer(always(filled(66_000)))
    using other = agentOf(backendAt(tooLarge.port))
    expect(await ask(other)).toMatchObject({ kind: 'failed', reason: 'framing' })
    expect(other.stats().connectionsOpen).toBe(0)
  })

  test('reads 16 MB slowly gets them whole', async () => {
    const turns = gate()
    await using server = await rawServer(async (peer) => {
      peer.pause()
      await turns.opened
      peer.resume()
      await peer.request()
      await peer.write(plain('yes'))
    })
    using agent = agentOf(backendAt(server.port))
    const probe = new Probe(agent, { body: LARGE })
    await until(() => server.accepted === 1)
    for (let turn = 0; turn < 50; turn++) await breathe()
    expect(probe.exchange.sentCompletely).toBe(false)
    turns.open()
    expect(await probe.ended.promise).toEqual(OK)
    expect(Bun.hash(server.requests[0]?.body ?? '')).toBe(Bun.hash(LARGE))
  })
})

test('600 TLS connections at once hold: each is verified, used and kept', async () => {
  const all = gate()
  await using server = await rawServer(async (peer) => {
    await peer.request()
    await all.opened
    await peer.write(plain('yes'))
    await always(plain('yes'))(peer)
  }, good)
  using agent = agentOf(backendAt(`https://localhost:${server.port}/v1`, { caPem, slots: 600 }), { idleMax: 600 })
  const probes = Array.from({ length: 600 }, () => new Probe(agent, { limits: { connectMs: 60_000, idleMs: 60_000 } }))
  await until(() => server.requests.length === 600)
  expect(agent.stats()).toMatchObject({ connectionsOpen: 600, slotsTaken: 600 })
  all.open()
  for (const probe of probes) expect(await probe.ended.promise).toEqual(OK)
  expect(agent.stats()).toMatchObject({ connectionsOpen: 600, connectionsIdle: 600, slotsTaken: 0 })
  const again = Array.from({ length: 600 }, () => new Probe(agent))
  for (const probe of again) expect(await probe.ended.promise).toEqual(OK)
  expect(agent.stats()).toMatchObject({ connectionsOpened: 600, requestsOnKept: 600 })
})
