import { describe, expect, test } from 'bun:test'
import { always, gate, plain, rawServer } from '../../support/raw-server.ts'
import { agentOf, ask, backendAt, Probe } from './probe.ts'

const OK = { kind: 'ended', status: 200, body: 'yes' } as const
const LARGE = Buffer.alloc(16 * 1024 * 1024, 'abcdefgh')

describe('answers', () => {
  test('interim answers are passed over', async () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'
    await using server = await rawServer(always(interim + plain('yes')))
    using agent = agentOf(backendAt(server.port))
    expect([await ask(agent), await ask(agent)]).toEqual([OK, OK])
    expect(server.accepted).toBe(1)
  })

  test('a chunked answer split at every byte comes whole, and its connection is kept', async () => {
    const answer =
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;x=y\r\nyes\r\n10\r\n0123456789abcdef\r\n0\r\nt: v\r\n\r\n'
    await using server = await rawServer(async (peer) => {
      for (;;) {
        await peer.request()
        for (const byte of answer) await peer.write(byte)
      }
    })
    using agent = agentOf(backendAt(server.port))
    for (let n = 0; n < 2; n++) expect(await ask(agent)).toEqual({ ...OK, body: 'yes0123456789abcdef' })
    expect(server.accepted).toBe(1)
  })

  test('a head that is there is reported before its body comes', async () => {
    const body = gate()
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.write('HTTP/1.1 200 OK\r\nX-One: 1\r\ncontent-length: 3\r\n\r\n')
      await body.opened
      await peer.write('yes')
    })
    using agent = agentOf(backendAt(server.port))
    const probe = new Probe(agent)
    expect(await probe.head.promise).toEqual({
      status: 200,
      headers: [
        ['x-one', '1'],
        ['content-length', '3'],
      ],
    })
    body.open()
    expect(await probe.ended.promise).toEqual(OK)
  })

  const cut = [
    { name: 'no byte', bytes: '', reason: 'reset' },
    { name: 'half a head', bytes: 'HTTP/1.1 200 OK\r\ncontent-le', reason: 'reset' },
    { name: 'half a body', bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello', reason: 'reset' },
    { name: 'half a chunk', bytes: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel', reason: 'reset' },
    {
      name: 'no last chunk',
      bytes: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nyes\r\n',
      reason: 'reset',
    },
    { name: 'another protocol', bytes: 'SSH-2.0-OpenSSH_9.2\r\n\r\n', reason: 'framing' },
  ]
  const cutBy = cut.flatMap((row) => [
    { ...row, by: 'FIN' },
    { ...row, by: 'reset' },
  ])
  test.each(cutBy)('a new connection that gives $name and ends by $by: $reason', async ({ bytes, reason, by }) => {
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.write(bytes)
      if (by === 'FIN') peer.end()
      else peer.reset()
    })
    using agent = agentOf(backendAt(server.port))
    expect(await ask(agent)).toMatchObject({ kind: 'failed', reason, sent: true })
    expect(agent.stats()).toMatchObject({ connectionsOpen: 0, slotsTaken: 0, resends: 0 })
    expect(server.accepted).toBe(1)
  })

  test('a reset never completes a body that ends with its connection', async () => {
    const seen = gate()
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.write('HTTP/1.1 200 OK\r\n\r\nhal')
      await seen.opened
      peer.reset()
    })
    using agent = agentOf(backendAt(server.port))
    const probe = new Probe(agent, {}, { onBody: seen.open })
    expect(await probe.ended.promise).toMatchObject({ kind: 'failed', reason: 'reset' })
  })
})

describe('large bodies', () => {
  test('16 MB go out whole and unchanged, and the connection is kept', async () => {
    const before = Bun.hash(LARGE)
    await using server = await rawServer(always(plain('yes')))
    using agent = agentOf(backendAt(server.port))
    for (let n = 0; n < 2; n++) expect(await ask(agent, { body: LARGE })).toEqual(OK)
    expect(server.requests.map(({ body }) => Bun.hash(body))).toEqual([before, before])
    expect(Bun.hash(LARGE)).toBe(before)
    expect(server.accepted).toBe(1)
  })

  test('an answer that comes while the body is being sent is taken, and the connection given up', async () => {
    await using server = await rawServer(async (peer) => {
      await peer.bytes(1000)
      peer.pause()
      await peer.write(plain('too large', { status: '413 Content Too Large', headers: ['connection: close'] }))
      peer.reset()
    })
    using agent = agentOf(backendAt(server.port))
    const probe = new Probe(agent, { body: LARGE })
    expect(await probe.ended.promise).toEqual({ kind: 'ended', status: 413, body: 'too large' })
    expect(probe.exchange.sentCompletely).toBe(false)
    expect(agent.stats()).toMatchObject({ connectionsOpen: 0, slotsTaken: 0 })
  })

  test('a reader that pauses stops the backend, and gets everything after it resumes', async () => {
    let isWritten = false
    await using server = await rawServer(async (peer) => {
      for (;;) {
        await peer.request()
        await peer.write(`HTTP/1.1 200 OK\r\ncontent-length: ${LARGE.length}\r\n\r\n`)
        await peer.write(LARGE)
        isWritten = true
      }
    })
    await using other = await rawServer(always(plain('yes')))
    using agent = agentOf(backendAt(server.port))
    using otherAgent = agentOf(backendAt(other.port))
    const probe = new Probe(agent, {}, { onBody: () => probe.exchange.pause() })
    await probe.received(1)
    const receivedBytes = probe.receivedBytes
    for (let n = 0; n < 200; n++) await ask(otherAgent) // time for a hundred times as much
    expect(probe.receivedBytes).toBe(receivedBytes)
    expect(isWritten).toBe(false)
    probe.onBody = () => {}
    probe.exchange.resume()
    const end = await probe.ended.promise
    expect(end.kind).toBe('ended')
    expect(Bun.hash(Buffer.concat(probe.pieces))).toBe(Bun.hash(LARGE))
    expect(await ask(agent)).toMatchObject({ status: 200 }) // on the same connection, which reads again
    expect(agent.stats()).toMatchObject({ connectionsOpened: 1, requestsOnKept: 1 })
  })
})

test('an answer that ends during a pause gives its connection back reading', async () => {
  await using server = await rawServer(always(plain('yes')))
  using agent = agentOf(backendAt(server.port))
  const probe = new Probe(agent, {}, { onBody: () => probe.exchange.pause() })
  expect(await probe.ended.promise).toEqual(OK)
  expect(await ask(agent)).toEqual(OK)
  expect(server.accepted).toBe(1)
})
