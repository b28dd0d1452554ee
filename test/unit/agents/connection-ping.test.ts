import { describe, expect, test } from 'bun:test'
import { addressOf } from '../../../src/agents/address.ts'
import { Connection } from '../../../src/agents/connection.ts'
import { ConnectionPing, type PingEnd } from '../../../src/agents/connection-ping.ts'
import { systemLookup } from '../../../src/agents/lookup.ts'
import { pingHead } from '../../../src/agents/ping-head.ts'
import { createResolver } from '../../../src/agents/resolver.ts'
import { fakeClock, settleMicrotasks } from '../../support/fake-clock.ts'
import { plain, rawServer, type Script } from '../../support/raw-server.ts'
import { ANSWER, handConnection } from './exchange-kit.ts'
import { backendAt, until } from './probe.ts'

/** One ping of a new connection to a server that plays a script. `late`: its time runs out once the request has come. */
async function pinged(script: Script, late = false): Promise<{ end: PingEnd; isOpen: boolean; timers: number }> {
  await using server = await rawServer(script)
  const clock = fakeClock()
  const backend = backendAt(server.port)
  const address = addressOf(backend)
  const resolver = createResolver({ lookup: systemLookup, clock })
  const { promise, resolve } = Promise.withResolvers<Connection>()
  const user = { opened: resolve, unsent() {}, data() {}, drained() {}, finished() {}, closed() {} }
  new Connection({ address, clock, resolver, connectMs: 5000, onGone: () => {} }, user)
  const connection = await promise
  const ended = Promise.withResolvers<PingEnd>()
  const head = pingHead(backend, address.hostHeader, [])
  new ConnectionPing(connection, { clock, head, limitMs: 1000, onEnd: ended.resolve })
  if (late) {
    await until(() => server.requests.length === 1)
    clock.advance(1000)
  }
  const end = await ended.promise
  const { isOpen } = connection
  connection.destroy()
  return { end, isOpen, timers: clock.timers }
}

const answering =
  (...parts: readonly string[]): Script =>
  async (peer) => {
    await peer.request()
    for (const part of parts) await peer.write(part)
    await peer.request()
  }
const answered = { kind: 'answered', status: 200, mayKeep: true, keepAliveMs: null } as const

test.each<[string, Script, PingEnd]>([
  [
    'any status, and the connection may be kept',
    answering(plain('no', { status: '404 Not Found' })),
    { ...answered, status: 404 },
  ],
  [
    'an answer in pieces',
    answering('HTTP/1.1 200 OK\r\ntransfer-enc', 'oding: chunked\r\n\r\n1\r\na\r\n', '0\r\n\r\n'),
    answered,
  ],
  [
    'what the backend says of its life',
    answering(plain('', { headers: ['keep-alive: timeout=5'] })),
    { ...answered, keepAliveMs: 5000 },
  ],
  [
    'an answer that ends the connection',
    answering(plain('', { headers: ['connection: close'] })),
    { ...answered, mayKeep: false },
  ],
  ['a body that is far too long', answering(plain('x'.repeat(300_000))), { ...answered, mayKeep: false }],
  ['no HTTP', answering('SSH-2.0-x\r\n\r\n'), { kind: 'closed' }],
  [
    'a close',
    async (peer) => {
      await peer.request()
      peer.end()
    },
    { kind: 'closed' },
  ],
  [
    'a reset',
    async (peer) => {
      await peer.request()
      peer.reset()
    },
    { kind: 'closed' },
  ],
])('%s', async (_name, script, end) => {
  const isOpen = end.kind === 'answered' && end.mayKeep
  expect(await pinged(script)).toEqual({ end, isOpen, timers: 0 })
})

test('half an answer is silence: after its limit the connection is gone', async () => {
  expect(await pinged(answering('HTTP/1.1 200 OK\r\ncontent-len'), true)).toEqual({
    end: { kind: 'silent' },
    isOpen: false,
    timers: 0,
  })
})

describe('a ping of a connection in hand', () => {
  function begun(takes = 1000) {
    const clock = fakeClock()
    const log: string[] = []
    const hand = handConnection('it', log)
    hand.takes = takes
    const ends: PingEnd[] = []
    const head = 'GET / HTTP/1.1\r\n\r\n'
    const ping = new ConnectionPing(hand.connection, { clock, head, limitMs: 1000, onEnd: (end) => ends.push(end) })
    return { clock, log, hand, ends, ping, head, drain: () => hand.connection.user.drained(hand.connection) }
  }

  test('goes out in pieces where it is taken so', () => {
    const { hand, head, drain, ends, log } = begun(5)
    for (let n = 0; n < 4; n++) drain()
    expect(hand.written).toBe(head)
    hand.says(ANSWER)
    expect([ends, log, hand.connection.served]).toEqual([[{ ...answered }], [], 1])
  })

  test('ends with a connection that is closed, at once or in the middle', async () => {
    const closed = begun(-1)
    expect(closed.ends).toEqual([])
    await settleMicrotasks()
    const later = begun(5)
    later.hand.takes = -1
    later.drain()
    for (const { ends, log } of [closed, later]) expect([ends, log]).toEqual([[{ kind: 'closed' }], ['it destroy']])
  })

  test('that is stopped tells nothing, and its connection is gone', () => {
    const { ping, clock, log, ends, hand } = begun()
    ping.stop()
    hand.connection.user.closed(hand.connection, 'late')
    expect([log, ends, clock.timers]).toEqual([['it destroy'], [], 0])
  })
})
