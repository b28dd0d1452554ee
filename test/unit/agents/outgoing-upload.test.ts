import { describe, expect, test } from 'bun:test'
import type { BodyRest } from '../../../src/agents/index.ts'
import type { Resolved, Resolver } from '../../../src/agents/resolver.ts'
import { always, gate, plain, rawServer } from '../../support/raw-server.ts'
import { breathe } from '../../support/wire.ts'
import { agentOf, ask, backendAt, Probe, until } from './probe.ts'

/** A rest that comes in these pieces, and how often it was asked for. */
function restOf(pieces: readonly (Uint8Array | Error)[], bodyBytes: number | null) {
  const state = { reads: 0 }
  const rest: BodyRest = {
    bodyBytes,
    read: async () => {
      const piece = pieces[state.reads++]
      if (piece instanceof Error) throw piece
      return piece ?? null
    },
  }
  return Object.assign(state, { rest })
}

const text = (...pieces: string[]): Buffer[] => pieces.map((piece) => Buffer.from(piece))
const BODY = Buffer.from('begin-')

describe('a body that is still coming', () => {
  test('goes out behind what is there, with its whole length', async () => {
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.write(plain('ok'))
    })
    using agent = agentOf(backendAt(server.port))
    const { rest } = restOf(text('middle-', '', 'end'), 16)
    expect(await ask(agent, { body: BODY, rest })).toMatchObject({ kind: 'ended', body: 'ok' })
    expect(server.requests[0]?.head).toContain('content-length: 16')
    expect(server.requests[0]?.body.toString()).toBe('begin-middle-end')
  })

  test('goes out in chunks when nobody knows its length', async () => {
    const chunks = '6\r\nbegin-\r\n7\r\nmiddle-\r\n3\r\nend\r\n0\r\n\r\n'
    let seen = ''
    await using server = await rawServer(async (peer) => {
      seen = (await peer.request()).head
      await peer.bytes(chunks.length)
      await peer.write(plain('ok'))
    })
    using agent = agentOf(backendAt(server.port))
    const { rest } = restOf(text('middle-', '', 'end'), null)
    const told = server.receivedBytes
    expect(await ask(agent, { body: BODY, rest })).toMatchObject({ kind: 'ended', body: 'ok' })
    expect(seen).toContain('transfer-encoding: chunked')
    expect(server.receivedBytes - told).toBe(`${seen}\r\n\r\n${chunks}`.length)
  })

  test('whose beginning is longer than all of it is a bug, and goes nowhere', () => {
    using agent = agentOf(backendAt(1))
    expect(() => new Probe(agent, { body: BODY, rest: restOf([], 5).rest })).toThrow('longer')
    expect(agent.stats().connectionsDialling).toBe(0)
  })

  test('is read no faster than the backend takes it', async () => {
    const resumed = gate()
    const piece = Buffer.alloc(256 * 1024, 'x')
    await using server = await rawServer(async (peer) => {
      peer.pause()
      await resumed.opened
      peer.resume()
      await peer.request()
      await peer.write(plain('ok'))
    })
    using agent = agentOf(backendAt(server.port))
    const count = 96
    const coming = restOf(Array(count).fill(piece), BODY.length + count * piece.length)
    const probe = new Probe(agent, { body: BODY, rest: coming.rest })
    let before = -1
    for (let still = 0; still < 500; still++) {
      if (coming.reads !== before) still = 0
      before = coming.reads
      await breathe()
    }
    expect(coming.reads).toBeLessThan(count)
    resumed.open()
    expect(await probe.ended.promise).toMatchObject({ kind: 'ended', body: 'ok' })
    expect(server.requests[0]?.body.length).toBe(BODY.length + count * piece.length)
  })

  test('takes no kept connection, and leaves its own to the next', async () => {
    await using server = await rawServer(async (peer) => {
      for (;;) {
        await peer.request()
        await peer.write(plain('ok'))
      }
    })
    using agent = agentOf(backendAt(server.port))
    await ask(agent)
    await ask(agent, { body: BODY, rest: restOf(text('end'), 9).rest })
    expect(agent.stats()).toMatchObject({ connectionsOpened: 2, connectionsIdle: 2 })
    await ask(agent)
    expect(agent.stats().connectionsOpened).toBe(2)
  })

  test('puts its own in the place of a kept one where there are as many as slots', async () => {
    await using server = await rawServer(always(plain('ok')))
    using agent = agentOf(backendAt(server.port, { slots: 2 }))
    await Promise.all([ask(agent), ask(agent)])
    const probe = new Probe(agent, { body: BODY, rest: restOf(text('end'), 9).rest })
    expect(agent.stats()).toMatchObject({ connectionsIdle: 1, connectionsDialling: 1 })
    expect(await probe.ended.promise).toMatchObject({ kind: 'ended' })
    expect(agent.stats()).toMatchObject({ connectionsOpen: 2, connectionsIdle: 2 })
  })

  test.each([
    ['breaks off', [Buffer.from('mid'), new Error('the sender left')], 16, 'the sender left'],
    ['is shorter than told', text('mid'), 16, 'shorter'],
    ['is longer than told', text('middle-', 'end', 'more'), 16, 'longer'],
  ] as const)('that %s is a request that was not sent', async (_name, pieces, bodyBytes, message) => {
    const ended = gate()
    await using server = await rawServer(async (peer) => {
      await peer.closed
      ended.open()
    })
    using agent = agentOf(backendAt(server.port))
    const end = await ask(agent, { body: BODY, rest: restOf(pieces, bodyBytes).rest })
    expect(end).toMatchObject({
      kind: 'failed',
      reason: 'reset',
      sent: false,
      message: expect.stringContaining(message),
    })
    await ended.opened
    expect(server.requests).toEqual([])
    expect(agent.stats()).toMatchObject({ connectionsOpen: 0, slotsTaken: 0 })
  })

  test('may be answered before all of it has come; then no more is asked for', async () => {
    await using server = await rawServer(async (peer) => {
      await peer.bytes(1)
      await peer.write(plain('too much', { status: '413 Content Too Large' }))
    })
    using agent = agentOf(backendAt(server.port))
    const coming = Promise.withResolvers<Uint8Array | null>()
    let reads = 0
    const rest: BodyRest = {
      bodyBytes: 100,
      read: () => {
        reads++
        return coming.promise
      },
    }
    expect(await ask(agent, { body: BODY, rest })).toMatchObject({ kind: 'ended', status: 413, body: 'too much' })
    coming.resolve(Buffer.from('late'))
    await coming.promise
    await until(() => agent.stats().connectionsOpen === 0)
    expect(reads).toBe(1)
  })

  test('is given up when the backend takes nothing of it for too long', async () => {
    await using server = await rawServer(async (peer) => peer.pause())
    using agent = agentOf(backendAt(server.port))
    const coming = restOf(Array(200).fill(Buffer.alloc(256 * 1024)), BODY.length + 200 * 256 * 1024)
    const probe = new Probe(agent, { body: BODY, rest: coming.rest, limits: { connectMs: 5000, idleMs: 1000 } })
    await until(() => coming.reads > 0 && agent.clock.timers === 1) // the connection's own timer has gone
    let before = -1
    for (let still = 0; still < 500; still++) {
      if (coming.reads !== before) still = 0
      before = coming.reads
      await breathe()
    }
    agent.clock.advance(1000)
    expect(await probe.ended.promise).toMatchObject({ kind: 'failed', reason: 'idle_timeout', sent: false })
    expect(agent.clock.timers).toBe(0)
  })

  test('whose answer has begun is not held to the silence of its answer before it has gone out', async () => {
    await using server = await rawServer(async (peer) => {
      await peer.bytes(1)
      await peer.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n')
      await peer.request()
      await peer.closed
    })
    using agent = agentOf(backendAt(server.port))
    let reads = 0
    const pieces = [Promise.withResolvers<Uint8Array | null>(), Promise.withResolvers<Uint8Array | null>()] as const
    const rest: BodyRest = { bodyBytes: 9, read: () => pieces[reads++ === 0 ? 0 : 1].promise }
    const limits = { connectMs: 60_000, idleMs: 1000 }
    const probe = new Probe(agent, { body: BODY, rest, limits })
    await probe.head.promise
    agent.clock.advance(5000)
    expect(probe.reports).toEqual(['head'])
    pieces[0].resolve(Buffer.from('end'))
    await until(() => server.requests.length === 1)
    pieces[1].resolve(null)
    await until(() => probe.exchange.sentCompletely)
    agent.clock.advance(999)
    expect(probe.reports).toEqual(['head'])
    agent.clock.advance(1)
    expect(await probe.ended.promise).toMatchObject({ kind: 'failed', reason: 'idle_timeout' })
  })

  test('is not asked for after an abort', async () => {
    await using server = await rawServer(async (peer) => peer.pause())
    using agent = agentOf(backendAt(server.port))
    const coming = Promise.withResolvers<Uint8Array | null>()
    let reads = 0
    const rest: BodyRest = {
      bodyBytes: 100,
      read: () => {
        reads++
        return coming.promise
      },
    }
    const probe = new Probe(agent, { body: BODY, rest })
    await until(() => reads === 1)
    probe.exchange.abort()
    coming.resolve(Buffer.from('late'))
    await coming.promise
    await until(() => agent.stats().connectionsOpen === 0)
    expect([reads, probe.reports]).toEqual([1, []])
    agent.release(probe.slot)
  })

  test('takes no connection either that becomes free while its own still dials: that one may be closed', async () => {
    const answer = gate()
    await using server = await rawServer(async (peer) => {
      await peer.request()
      if (peer.number === 0) await answer.opened
      await peer.write(plain('ok'))
      if (peer.number === 0) peer.end()
    })
    const [known, late] = [{ kind: 'addresses', ips: ['127.0.0.1'] } as const, Promise.withResolvers<Resolved>()]
    let asked = 0
    const resolver: Resolver = {
      find: () => (asked++ === 0 ? known : late.promise),
      demote: () => {},
      doubt: () => {},
    }
    using agent = agentOf(backendAt(`http://named.test:${server.port}/v1`), {}, { resolver })
    const before = new Probe(agent)
    await until(() => server.requests.length === 1)
    const probe = new Probe(agent, { body: BODY, rest: restOf(text('end'), 9).rest })
    answer.open()
    await before.ended.promise
    await until(() => agent.stats().connectionsOpen === 0)
    late.resolve(known)
    expect(await probe.ended.promise).toMatchObject({ kind: 'ended', body: 'ok' })
    expect(probe.exchange.timing().connection).toBe('new')
  })
})
