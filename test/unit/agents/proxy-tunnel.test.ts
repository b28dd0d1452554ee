import { describe, expect, test } from 'bun:test'
import net from 'node:net'
import type { OutboundProxy } from '../../../src/domain/index.ts'
import { always, gate, type Peer, plain, type RawServer, rawServer } from '../../support/raw-server.ts'
import { makeCertificates } from './certificates.ts'
import { agentOf, ask, backendAt, Probe, until } from './probe.ts'

const OK = { kind: 'ended', status: 200, body: 'yes' } as const
const { caPem, good, misnamed } = makeCertificates()
const SECRET = 'Basic Y2FuYXJ5OmNhbmFyeQ=='

const proxyAt = ({ port }: { port: number }, authorization: string | null = null): OutboundProxy => ({
  host: '127.0.0.1',
  port,
  authorization,
})

interface TestProxy {
  readonly port: number
  /** The heads of what it was asked. */
  readonly asked: string[]
  readonly open: number
  [Symbol.asyncDispose](): Promise<void>
}

/** A proxy that leads every tunnel to one port of this machine. */
async function proxyTo(target: RawServer): Promise<TestProxy> {
  const asked: string[] = []
  const sockets = new Set<net.Socket>()
  const server = net.createServer({ noDelay: true }, (client) => {
    sockets.add(client)
    client.on('close', () => sockets.delete(client))
    client.on('error', () => {})
    client.once('data', (head) => {
      asked.push(head.toString('latin1'))
      const way = net.connect({ port: target.port, host: '127.0.0.1', noDelay: true }, () => {
        client.write('HTTP/1.1 200 Connection established\r\nvia: test\r\n\r\n')
        client.pipe(way)
        way.pipe(client)
      })
      way.on('error', () => client.destroy())
      way.on('close', () => client.destroy())
      client.on('close', () => way.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    port: address.port,
    asked,
    get open() {
      return sockets.size
    },
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

describe('through a proxy', () => {
  test('plain HTTP: one tunnel, kept like any connection', async () => {
    await using server = await rawServer(always(plain('yes')))
    await using proxy = await proxyTo(server)
    using agent = agentOf(backendAt('http://backend.example/v1', { proxy: proxyAt(proxy, SECRET) }))
    for (let n = 0; n < 10; n++) expect(await ask(agent)).toEqual(OK)
    const head = `CONNECT backend.example:80 HTTP/1.1\r\nhost: backend.example:80\r\nproxy-authorization: ${SECRET}\r\n\r\n`
    expect(proxy.asked).toEqual([head])
    expect(server.requests[0]?.head).toContain('host: backend.example\r\n')
    expect(server.requests.map(({ head }) => head).join()).not.toContain('proxy-authorization')
  })

  test('TLS goes through to the backend, whose name is checked; the proxy’s name is looked up, not the backend’s', async () => {
    await using server = await rawServer(always(plain('yes')), good)
    await using proxy = await proxyTo(server)
    using agent = agentOf(backendAt('https://localhost:4/v1', { caPem, proxy: proxyAt(proxy) }))
    for (let n = 0; n < 100; n++) expect(await ask(agent)).toEqual(OK)
    expect(server.accepted).toBe(1)
    expect(proxy.asked).toEqual(['CONNECT localhost:4 HTTP/1.1\r\nhost: localhost:4\r\n\r\n'])
    const probe = new Probe(agent)
    await probe.ended.promise
    expect(probe.exchange.timing()).toMatchObject({ connection: 'kept' })
  })

  test.each(['192.0.2.7', '[2001:db8::7]'])(
    'TLS to an address: the certificate must be for %s, not for the proxy',
    async (host) => {
      await using server = await rawServer(always(plain('yes')), misnamed)
      await using proxy = await proxyTo(server)
      using agent = agentOf(backendAt(`https://${host}/v1`, { caPem, proxy: proxyAt(proxy) }))
      expect(await ask(agent)).toEqual(OK)
      using other = agentOf(backendAt('https://192.0.2.8/v1', { caPem, proxy: proxyAt(proxy) }))
      expect(await ask(other)).toMatchObject({ kind: 'unsent', reason: 'tls' })
      expect(server.requests.length).toBe(1)
    },
  )

  test.each([
    ['another name', misnamed, caPem],
    ['an unknown authority', good, undefined],
  ])('TLS, %s: refused, with no request sent', async (_name, certificate, trusted) => {
    await using server = await rawServer(always(plain('yes')), certificate)
    await using proxy = await proxyTo(server)
    const tls = trusted === undefined ? {} : { caPem: trusted }
    using agent = agentOf(backendAt('https://localhost:4/v1', { ...tls, proxy: proxyAt(proxy) }))
    expect(await ask(agent)).toMatchObject({ kind: 'unsent', reason: 'tls' })
    await until(() => proxy.open === 0)
    expect(server.receivedBytes).toBe(0)
  })

  test('16 MB both ways over TLS', async () => {
    const body = Buffer.alloc(16 * 1024 * 1024, 'abcdefgh')
    const echo = async (peer: Peer): Promise<void> => {
      for (;;) {
        const request = await peer.request()
        await peer.write(`HTTP/1.1 200 OK\r\ncontent-length: ${request.body.length}\r\n\r\n`)
        await peer.write(request.body)
      }
    }
    await using server = await rawServer(echo, good)
    await using proxy = await proxyTo(server)
    using agent = agentOf(backendAt('https://localhost:4/v1', { caPem, proxy: proxyAt(proxy) }))
    const probe = new Probe(agent, { body })
    expect((await probe.ended.promise).kind).toBe('ended')
    expect(Bun.hash(Buffer.concat(probe.pieces))).toBe(Bun.hash(body))
  })

  test('a reader that pauses stops the backend', async () => {
    const large = Buffer.alloc(64 * 1024 * 1024, 'abcdefgh')
    let isWritten = false
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.write(`HTTP/1.1 200 OK\r\ncontent-length: ${large.length}\r\n\r\n`)
      await peer.write(large)
      isWritten = true
    }, good)
    await using other = await rawServer(always(plain('yes')))
    await using proxy = await proxyTo(server)
    using agent = agentOf(backendAt('https://localhost:4/v1', { caPem, proxy: proxyAt(proxy) }))
    using otherAgent = agentOf(backendAt(other.port))
    const probe = new Probe(agent, {}, { onBody: () => probe.exchange.pause() })
    await probe.received(1)
    for (let n = 0; n < 200; n++) await ask(otherAgent) // time for a hundred times as much
    expect(probe.receivedBytes).toBeLessThan(8 * 1024 * 1024)
    expect(isWritten).toBe(false)
    probe.onBody = () => {}
    probe.exchange.resume()
    expect((await probe.ended.promise).kind).toBe('ended')
    expect(Bun.hash(Buffer.concat(probe.pieces))).toBe(Bun.hash(large))
  })

  test('a body that ends with its connection is whole; the tunnel ends', async () => {
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.write('HTTP/1.1 200 OK\r\n\r\nyes')
      peer.end()
    }, good)
    await using proxy = await proxyTo(server)
    using agent = agentOf(backendAt('https://localhost:4/v1', { caPem, proxy: proxyAt(proxy) }))
    expect(await ask(agent)).toEqual(OK)
    await until(() => proxy.open === 0 && agent.stats().connectionsOpen === 0)
  })

  test('an abort closes the tunnel in the same tick', async () => {
    await using server = await rawServer(async (peer) => {
      await peer.request()
      await peer.closed
    }, good)
    await using proxy = await proxyTo(server)
    using agent = agentOf(backendAt('https://localhost:4/v1', { caPem, proxy: proxyAt(proxy) }))
    const probe = new Probe(agent)
    await until(() => server.requests.length === 1)
    probe.exchange.abort()
    expect(agent.stats().connectionsOpen).toBe(0)
    await until(() => proxy.open === 0)
  })

  test('an IPv6 backend stands in brackets', async () => {
    await using server = await rawServer(always(plain('yes')))
    await using proxy = await proxyTo(server)
    using agent = agentOf(backendAt('http://[2001:db8::1]:8000/v1', { proxy: proxyAt(proxy) }))
    expect(await ask(agent)).toEqual(OK)
    expect(proxy.asked[0]).toStartWith('CONNECT [2001:db8::1]:8000 HTTP/1.1\r\n')
  })
})

describe('a proxy that does not connect us leaves the request unsent', () => {
  test.each([
    ['asks for a credential', 'HTTP/1.1 407 canary\r\nproxy-authenticate: Basic\r\n\r\n', '(407)'],
    ['refuses', 'HTTP/1.1 502 canary\r\ncontent-length: 6\r\n\r\ncanary', 'refused with status 502'],
    ['sends away', 'HTTP/1.1 302 Found\r\nlocation: http://canary\r\n\r\n', 'refused with status 302'],
    ['speaks something else', 'canary\r\n\r\n', 'not HTTP/1.1'],
    ['goes on by itself', 'HTTP/1.1 200 OK\r\n\r\ncanary', 'before they were asked for'],
    ['sends a head without end', `HTTP/1.1 200 OK\r\nx: ${'canary'.repeat(3000)}`, 'larger than 16384 bytes'],
    ['sends too large a head', `HTTP/1.1 200 OK\r\nx: ${'canary'.repeat(3000)}\r\n\r\n`, 'larger than 16384 bytes'],
  ])('%s', async (_name, answer, message) => {
    await using proxy = await rawServer(async (peer) => {
      await peer.request()
      await peer.write(answer)
    })
    using agent = agentOf(backendAt('https://backend.example/v1', { proxy: proxyAt(proxy, SECRET) }))
    const end = await ask(agent)
    expect(end).toMatchObject({ kind: 'unsent', reason: 'proxy', message: expect.stringContaining(message) })
    expect(JSON.stringify(end)).not.toMatch(/canary|Y2FuYXJ5/)
    await until(() => proxy.open === 0)
    expect(agent.stats()).toMatchObject({ connectionsOpen: 0, requestsSent: 0 })
  })

  test.each(['end', 'reset'] as const)('%s instead of an answer', async (how) => {
    await using proxy = await rawServer(async (peer) => {
      await peer.request()
      peer[how]()
    })
    using agent = agentOf(backendAt('http://backend.example/v1', { proxy: proxyAt(proxy) }))
    expect(await ask(agent)).toMatchObject({ kind: 'unsent', reason: 'proxy' })
  })

  test('is not there', async () => {
    const proxy = await rawServer(always(plain('no')))
    await proxy[Symbol.asyncDispose]()
    using agent = agentOf(backendAt('http://backend.example/v1', { proxy: proxyAt(proxy) }))
    expect(await ask(agent)).toMatchObject({
      kind: 'unsent',
      reason: 'proxy',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })

  test('has an unknown name', async () => {
    const proxy = { host: 'no-such-proxy.invalid', port: 1, authorization: null }
    using agent = agentOf(backendAt('http://127.0.0.1:1/v1', { proxy }))
    expect(await ask(agent)).toMatchObject({ kind: 'unsent', reason: 'proxy' })
  })

  test('never answers: the limit of the dial ends it', async () => {
    const asked = gate()
    await using proxy = await rawServer(async (peer) => {
      await peer.request()
      asked.open()
      await peer.closed
    })
    using agent = agentOf(backendAt('http://backend.example/v1', { proxy: proxyAt(proxy) }))
    const probe = new Probe(agent)
    await asked.opened
    agent.clock.advance(5000)
    expect(await probe.ended.promise).toMatchObject({ kind: 'unsent', reason: 'connect_timeout' })
    await until(() => proxy.open === 0)
  })

  test('breaks off during the handshake behind it', async () => {
    await using proxy = await rawServer(async (peer) => {
      await peer.request()
      await peer.write('HTTP/1.1 200 OK\r\n\r\n')
      await peer.bytes(1)
      peer.end()
    })
    using agent = agentOf(backendAt('https://localhost/v1', { caPem, proxy: proxyAt(proxy) }))
    expect(await ask(agent)).toMatchObject({ kind: 'unsent', reason: 'tls' })
    await until(() => proxy.open === 0)
  })
})
