import { describe, expect, test } from 'bun:test'
import type { TLSSocket } from 'node:tls'
import { addressOf } from '../../../src/agents/address.ts'
import { Connection } from '../../../src/agents/connection.ts'
import { createAgent } from '../../../src/agents/index.ts'
import type { NamedAddress } from '../../../src/agents/lookup.ts'
import { createResolver } from '../../../src/agents/resolver.ts'
import type { Backend } from '../../../src/domain/index.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { always, plain, rawServer } from '../../support/raw-server.ts'
import { breathe } from '../../support/wire.ts'
import { makeCertificates } from './certificates.ts'
import { agentOf, ask, backendAt, Probe, SETTINGS, until } from './probe.ts'

const OK = { kind: 'ended', status: 200, body: 'yes' } as const
const { caPem, good, misnamed, selfSigned } = makeCertificates()

/** An agent whose names are answered by the test. */
function namedAgent(backend: Backend, lookup: (host: string) => Promise<readonly NamedAddress[]>) {
  const clock = fakeClock()
  const agent = createAgent({ backend, settings: SETTINGS, clock, resolver: createResolver({ lookup, clock }) })
  return Object.assign(agent, { clock, [Symbol.dispose]: () => agent.close() })
}

const at = (...ips: string[]): NamedAddress[] => ips.map((ip) => ({ ip, ttlS: 60 }))

describe('a backend by name', () => {
  test('the time for its name is told by itself, and is none once it is known', async () => {
    await using server = await rawServer(always(plain('yes', { headers: ['connection: close'] })))
    const answer = Promise.withResolvers<NamedAddress[]>()
    using agent = namedAgent(backendAt(`http://backend.example:${server.port}/v1`), () => answer.promise)
    const first = new Probe(agent)
    agent.clock.advance(40)
    answer.resolve(at('127.0.0.1'))
    expect(await first.ended.promise).toEqual(OK)
    expect(first.exchange.timing()).toMatchObject({ dnsUs: 40_000, connectUs: 0, tlsUs: null, connection: 'new' })
    const second = new Probe(agent)
    expect(await second.ended.promise).toEqual(OK)
    expect(second.exchange.timing()).toMatchObject({ dnsUs: 0, connection: 'new' })
    expect(server.requests[0]?.head).toContain(`host: backend.example:${server.port}`)
  })

  test('an address needs no name', async () => {
    await using server = await rawServer(always(plain('yes')))
    using agent = agentOf(backendAt(server.port))
    const probe = new Probe(agent)
    await probe.ended.promise
    expect(probe.exchange.timing()).toMatchObject({ dnsUs: null, connectUs: 0 })
  })

  test('an address that refuses is passed over, and tried last from then on', async () => {
    await using server = await rawServer(always(plain('yes', { headers: ['connection: close'] })))
    using agent = namedAgent(backendAt(`http://two.example:${server.port}/v1`), async () => at('127.0.0.1', '::1'))
    expect(await ask(agent)).toEqual(OK)
    expect(await ask(agent)).toEqual(OK)
    expect(server.accepted).toBe(2)
    await until(() => agent.stats().connectionsOpen === 0)
  })

  test('an address that says nothing costs 250 ms', async () => {
    await using server = await rawServer(always(plain('yes')))
    const names = async (): Promise<NamedAddress[]> => at('198.51.100.1', '127.0.0.1') // the first is nobody's
    using agent = namedAgent(backendAt(`http://two.example:${server.port}/v1`), names)
    const probe = new Probe(agent)
    await breathe()
    agent.clock.advance(250)
    expect(await probe.ended.promise).toEqual(OK)
    expect([0, 250_000]).toContain(probe.exchange.timing().connectUs ?? -1) // 0 where the kernel has no way to it, and says so
  })

  test('without an answer of the name server the same limit ends it', async () => {
    using agent = namedAgent(backendAt('http://silent.example/v1'), () => new Promise(() => {}))
    const probe = new Probe(agent)
    agent.clock.advance(5000)
    expect(await probe.ended.promise).toMatchObject({ kind: 'unsent', reason: 'connect_timeout' })
    expect(agent.clock.timers).toBe(0)
  })

  test('a failed name is told as such, also when it was known already', async () => {
    using agent = namedAgent(backendAt('http://none.example/v1'), () => Promise.reject(new Error('no such name')))
    for (let n = 0; n < 2; n++) {
      const probe = new Probe(agent)
      expect(probe.reports).toEqual([])
      expect(await probe.ended.promise).toEqual({ kind: 'unsent', reason: 'dns', message: 'no such name' })
    }
  })
})

describe('TLS by name', () => {
  test('goes to the address, asks for the name, and is checked against it', async () => {
    const names: (string | false | null)[] = []
    const protocols: (string | false | null)[] = []
    await using server = await rawServer(always(plain('yes')), {
      ...good,
      onSecure: ({ servername, alpnProtocol }: TLSSocket) => {
        names.push(servername)
        protocols.push(alpnProtocol)
      },
    })
    const port = server.port
    using agent = namedAgent(backendAt(`https://localhost:${port}/v1`, { caPem }), async () => at('127.0.0.1'))
    expect(await ask(agent)).toEqual(OK)
    expect([names, protocols]).toEqual([['localhost'], ['http/1.1']])
  })

  test.each([
    ['a name that the certificate has not', good, 'other.example'],
    ['a certificate of another name, at an address of its own', misnamed, 'localhost'],
  ])('%s: refused, with no request sent', async (_name, certificate, host) => {
    await using server = await rawServer(always(plain('yes')), certificate)
    const backend = backendAt(`https://${host}:${server.port}/v1`, { caPem })
    using agent = namedAgent(backend, async () => at('127.0.0.1'))
    expect(await ask(agent)).toMatchObject({ kind: 'unsent', reason: 'tls' })
    await until(() => server.open === 0)
    expect(server.receivedBytes).toBe(0)
  })
})

describe('a backend that asks for a certificate of ours', () => {
  const asking = { ...good, requestCert: true, ca: caPem }
  const client = { certPem: good.cert, keyPem: good.key }

  test('gets it', async () => {
    await using server = await rawServer(always(plain('yes')), asking)
    using agent = agentOf(backendAt(`https://localhost:${server.port}/v1`, { caPem, client }))
    expect(await ask(agent)).toEqual(OK)
  })

  test.each([
    ['none', null],
    ['one of a stranger', { certPem: selfSigned.cert, keyPem: selfSigned.key }],
  ])('%s: it serves nothing', async (_name, wrong) => {
    await using server = await rawServer(always(plain('yes')), asking)
    using agent = agentOf(backendAt(`https://localhost:${server.port}/v1`, { caPem, client: wrong }))
    expect((await ask(agent)).kind).not.toBe('ended')
    await until(() => server.open === 0)
    expect(server.requests).toHaveLength(0)
  })

  test('a key that is not the certificate’s: unsent', async () => {
    await using server = await rawServer(always(plain('yes')), asking)
    const wrong = { certPem: good.cert, keyPem: selfSigned.key }
    using agent = agentOf(backendAt(`https://localhost:${server.port}/v1`, { caPem, client: wrong }))
    expect(await ask(agent)).toMatchObject({ kind: 'unsent', reason: 'connect' })
  })
})

test('a checked dial that ends at another address than the one it was meant for is given up, with nothing sent', async () => {
  await using server = await rawServer(always(plain('no')))
  const clock = fakeClock()
  const resolver = createResolver({ lookup: async () => at('0.0.0.0'), clock }) // the kernel makes it 127.0.0.1
  const unsent = Promise.withResolvers<string>()
  let isGone = false
  const onGone = (): void => {
    isGone = true
  }
  const address = addressOf(backendAt(`http://rebound.example:${server.port}/v1`))
  const user = {
    opened: () => unsent.resolve('opened'),
    unsent: (_connection: unknown, reason: string) => unsent.resolve(reason),
    data: () => {},
    drained: () => {},
    finished: () => {},
    closed: () => {},
  }
  new Connection({ address, clock, resolver, connectMs: 5000, isChecked: true, onGone }, user)
  expect(await unsent.promise).toBe('address')
  await until(() => server.accepted === 1 && server.open === 0)
  expect(isGone).toBe(true)
  expect(server.receivedBytes).toBe(0)
})
