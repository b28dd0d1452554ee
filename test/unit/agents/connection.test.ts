import { describe, expect, test } from 'bun:test'
import { always, gate, plain, rawServer } from '../../support/raw-server.ts'
import { makeCertificates } from './certificates.ts'
import { agentOf, ask, backendAt, Probe, SETTINGS, until } from './probe.ts'

const OK = { kind: 'ended', status: 200, body: 'yes' } as const
const { caPem, good, misnamed, selfSigned, expired } = makeCertificates()

describe('a dial that comes to nothing leaves its request unsent', () => {
  test('refused', async () => {
    const server = await rawServer(always(plain('yes')))
    await server[Symbol.asyncDispose]()
    using agent = agentOf(backendAt(server.port))
    const probe = new Probe(agent)
    expect(await probe.ended.promise).toMatchObject({ kind: 'unsent', reason: 'connect' })
    expect(probe.exchange.sentCompletely).toBe(false)
    expect(probe.exchange.timing()).toMatchObject({ connection: 'unsent', connectUs: null, writeUs: null })
    expect(agent.stats()).toMatchObject({ connectionsOpened: 0, requestsSent: 0, slotsTaken: 0 })
    expect(agent.clock.timers).toBe(0)
  })

  test('refused by the kernel at once: still not reported before `send` returns', async () => {
    using agent = agentOf(backendAt('http://255.255.255.255:1/v1'))
    const probe = new Probe(agent)
    expect(probe.reports).toEqual([])
    expect(await probe.ended.promise).toMatchObject({ kind: 'unsent', reason: 'connect' })
  })

  test('a name that does not exist', async () => {
    using agent = agentOf(backendAt('http://no-such-host.invalid/v1'))
    expect(await ask(agent)).toMatchObject({ kind: 'unsent', reason: 'dns' })
  })

  test('too slow: what comes later is closed, and nothing was sent on it', async () => {
    await using server = await rawServer(always(plain('yes')))
    using agent = agentOf(backendAt(server.port))
    const probe = new Probe(agent)
    agent.clock.advance(4999)
    expect(probe.reports).toEqual([])
    agent.clock.advance(1)
    expect(probe.reports).toEqual(['failure'])
    expect(await probe.ended.promise).toMatchObject({ kind: 'unsent', reason: 'connect_timeout' })
    await until(() => server.accepted === 1 && server.open === 0)
    expect(server.receivedBytes).toBe(0)
  })

  test('dials that were given up are bounded, and make room when they end', async () => {
    await using server = await rawServer(always(plain('yes')))
    using agent = agentOf(backendAt(server.port, { slots: 1 }))
    for (let n = 0; n < 2; n++) {
      const probe = new Probe(agent)
      probe.exchange.abort()
      agent.release(probe.slot)
    }
    expect(await ask(agent)).toMatchObject({ kind: 'unsent', reason: 'connect' })
    await until(() => server.accepted === 2 && server.open === 0)
    expect(await ask(agent)).toEqual(OK)
  })

  test('those that are open do not count among them, however few slots there are now', async () => {
    await using server = await rawServer(always(plain('yes')))
    using agent = agentOf(backendAt(server.port))
    await Promise.all(Array.from({ length: 4 }, () => ask(agent)))
    agent.adjust(SETTINGS, backendAt(server.port, { slots: 1 }))
    expect(agent.stats().connectionsIdle).toBe(4)
    expect(await ask(agent, { rest: { bodyBytes: 13, read: async () => null } })).toEqual(OK) // takes no kept one
  })

  test('a handshake that never ends runs into the same limit', async () => {
    const hello = gate()
    await using server = await rawServer(async (peer) => {
      await peer.bytes(1)
      hello.open()
      await peer.bytes(Number.POSITIVE_INFINITY).catch(() => peer.end())
    })
    using agent = agentOf(backendAt(`https://localhost:${server.port}/v1`, { caPem }))
    const probe = new Probe(agent)
    await hello.opened
    agent.clock.advance(5000)
    expect(await probe.ended.promise).toMatchObject({ kind: 'unsent', reason: 'connect_timeout' })
    await until(() => server.open === 0)
  })

  test.each([
    ['wrong host name', misnamed, 'localhost', caPem],
    ['wrong address', misnamed, '127.0.0.1', caPem],
    ['unknown authority', good, 'localhost', undefined],
    ['another authority', good, 'localhost', selfSigned.cert],
    ['self-signed', selfSigned, 'localhost', caPem],
    ['expired', expired, 'localhost', caPem],
  ])('TLS, %s: refused, with no request sent', async (_name, certificate, host, trusted) => {
    await using server = await rawServer(always(plain('yes')), certificate)
    using agent = agentOf(
      backendAt(`https://${host}:${server.port}/v1`, trusted === undefined ? {} : { caPem: trusted }),
    )
    expect(await ask(agent)).toMatchObject({ kind: 'unsent', reason: 'tls' })
    await until(() => server.open === 0)
    expect(server.receivedBytes).toBe(0)
    expect(agent.stats()).toMatchObject({ connectionsOpen: 0, connectionsOpened: 0, requestsSent: 0, slotsTaken: 0 })
  })

  test('TLS asked of a server that speaks plain HTTP', async () => {
    await using server = await rawServer(async (peer) => {
      await peer.bytes(1)
      await peer.write('HTTP/1.1 400 Bad Request\r\n\r\n')
      peer.end()
    })
    using agent = agentOf(backendAt(`https://localhost:${server.port}/v1`, { caPem }))
    expect(await ask(agent)).toMatchObject({ kind: 'unsent', reason: 'tls' })
  })

  test('TLS asked of a server that hangs up', async () => {
    await using server = await rawServer(async (peer) => peer.end())
    using agent = agentOf(backendAt(`https://localhost:${server.port}/v1`, { caPem }))
    expect(await ask(agent)).toMatchObject({ kind: 'unsent', reason: 'tls' })
  })
})

describe('TLS with a certificate of the added authority', () => {
  test.each(['localhost', '127.0.0.1'])('%s: 100 requests on one connection', async (host) => {
    await using server = await rawServer(always(plain('yes')), good)
    using agent = agentOf(backendAt(`https://${host}:${server.port}/v1`, { caPem }))
    for (let n = 0; n < 100; n++) expect(await ask(agent)).toEqual(OK)
    expect(server.accepted).toBe(1)
    expect(server.requests[0]?.head).toContain(`host: ${host}:${server.port}`)
  })

  test('the handshake has its own part of the time', async () => {
    await using server = await rawServer(always(plain('yes')), good)
    using agent = agentOf(backendAt(`https://localhost:${server.port}/v1`, { caPem }))
    const probe = new Probe(agent)
    await probe.ended.promise
    expect(probe.exchange.timing()).toMatchObject({ connectUs: 0, tlsUs: 0, connection: 'new' })
  })

  test('16 MB both ways', async () => {
    const body = Buffer.alloc(16 * 1024 * 1024, 'abcdefgh')
    await using echo = await rawServer(async (peer) => {
      for (;;) {
        const request = await peer.request()
        await peer.write(`HTTP/1.1 200 OK\r\ncontent-length: ${request.body.length}\r\n\r\n`)
        await peer.write(request.body)
      }
    }, good)
    using agent = agentOf(backendAt(`https://localhost:${echo.port}/v1`, { caPem }))
    for (let n = 0; n < 2; n++) {
      const probe = new Probe(agent, { body })
      expect((await probe.ended.promise).kind).toBe('ended')
      expect(Bun.hash(Buffer.concat(probe.pieces))).toBe(Bun.hash(body))
    }
    expect(echo.accepted).toBe(1)
  })

  test('one that is closed by us is gone, though the backend never closes its side', async () => {
    const gone = gate()
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.write(plain('yes', { headers: ['connection: close'] }))
      void peer.closed.then(gone.open)
      for (;;) await peer.write('who would read this?') // answered with a reset where nobody is
    }, good)
    using agent = agentOf(backendAt(`https://localhost:${server.port}/v1`, { caPem }))
    expect(await ask(agent)).toEqual(OK)
    await gone.opened
  })

  test('a connection closed by the backend while idle is noticed', async () => {
    const idle = gate()
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.write(plain('yes'))
      await idle.opened
      peer.end()
    }, good)
    using agent = agentOf(backendAt(`https://localhost:${server.port}/v1`, { caPem }))
    await ask(agent)
    idle.open()
    await until(() => agent.stats().connectionsOpen === 0)
    await until(() => server.open === 0)
  })

  test('an abort closes it in the same tick', async () => {
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.closed
    }, good)
    using agent = agentOf(backendAt(`https://localhost:${server.port}/v1`, { caPem }))
    const probe = new Probe(agent)
    await until(() => server.requests.length === 1)
    probe.exchange.abort()
    expect(agent.stats().connectionsOpen).toBe(0)
    await until(() => server.open === 0)
    expect(probe.reports).toEqual([])
  })
})
