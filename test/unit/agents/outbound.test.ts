import { describe, expect, test } from 'bun:test'
import { type BoundedRequest, createOutbound } from '../../../src/agents/index.ts'
import type { NamedAddress } from '../../../src/agents/lookup.ts'
import { parseAddressRange } from '../../../src/lib/index.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { always, gate, plain, type RawServer, rawServer } from '../../support/raw-server.ts'
import { makeCertificates } from './certificates.ts'
import { until } from './probe.ts'

const { caPem, good, misnamed } = makeCertificates()

const REQUEST: BoundedRequest = {
  method: 'POST',
  headers: [['content-type', 'application/json']],
  body: Buffer.from('{"a":1}'),
  limits: { connectMs: 5000, idleMs: 5000, totalMs: 10_000, bodyBytesMax: 1000 },
}

interface Given {
  readonly names?: Readonly<Record<string, readonly string[]>>
  readonly allow?: readonly string[]
  readonly ports?: readonly number[]
  readonly own?: readonly string[]
}

function outboundWith({ names = {}, allow = [], ports = [443], own = [] }: Given) {
  const clock = fakeClock()
  const asked: string[] = []
  const caFile = { path: 'ca.pem', pem: caPem }
  const settings = { allowPrivate: allow.flatMap((text) => parseAddressRange(text) ?? []), ports, caFile }
  const lookup = async (host: string): Promise<NamedAddress[]> => {
    asked.push(host)
    const ips = names[host]
    if (ips === undefined) throw new Error(`no ${host}`)
    return ips.map((ip) => ({ ip, ttlS: 300 }))
  }
  const options = { clock, settings: () => settings, lookup, ownAddresses: () => own }
  return { ...createOutbound(options), asked, clock }
}

/** One that may reach a server of the test, which needs this machine's own address to be listed by itself. */
const reaching = ({ port }: RawServer, names: Given['names'] = { localhost: ['127.0.0.1'] }) =>
  outboundWith({ names, allow: ['127.0.0.1'], ports: [port] })

describe('a URL that can never be used is refused, and nothing is looked up', () => {
  test.each([
    ['http://a.example/', 'https://'],
    ['ftp://a.example/', 'https://'],
    ['file:///etc/passwd', 'https://'],
    ['a.example', 'not a URL'],
    ['https://', 'not a URL'],
    ['https://u@a.example/', 'user'],
    ['https://u:p@a.example/', 'user'],
    ['https://@a.example/', 'user'],
    ['https://a.example:80/', 'port 80'],
    ['https://a.example:8443/', 'port 8443'],
    ['https://a.example:0/', 'port 0'],
    ['https://127.0.0.1/', 'this machine'],
    ['https://2130706433/', 'this machine'], // decimal
    ['https://0x7f000001/', 'this machine'], // hexadecimal
    ['https://0x7f.0x0.0x0.0x1/', 'this machine'],
    ['https://017700000001/', 'this machine'], // octal
    ['https://0177.0.0.1/', 'this machine'],
    ['https://127.1/', 'this machine'], // short
    ['https://127.0.1/', 'this machine'],
    ['https://127.0.0.1./', 'this machine'],
    ['https://１２７.0.0.1/', 'this machine'], // full width
    ['https://①②⑦.1/', 'this machine'],
    ['https://127%2e0.0.1/', 'this machine'],
    ['https://[::1]/', 'this machine'],
    ['https://[0:0:0:0:0:0:0:1]/', 'this machine'],
    ['https://[::ffff:127.0.0.1]/', 'this machine'],
    ['https://[::ffff:7f00:1]/', 'this machine'],
    ['https://[64:ff9b::7f00:1]/', 'not public'], // NAT64
    ['https://[2002:7f00:1::]/', 'not public'], // 6to4
    ['https://[2001:0:4136:e378:8000:63bf:80ff:fffe]/', 'not public'], // Teredo
    ['https://10.0.0.1/', 'not public'],
    ['https://012.0.0.1/', 'not public'],
    ['https://167772161/', 'not public'],
    ['https://172.16.0.1/', 'not public'],
    ['https://192.168.1.1/', 'not public'],
    ['https://192.168.257/', 'not public'],
    ['https://100.64.0.1/', 'not public'],
    ['https://169.254.1.1/', 'not public'],
    ['https://[fe80::1]/', 'not public'],
    ['https://[fd00::1]/', 'not public'],
    ['https://[::ffff:10.0.0.1]/', 'not public'],
    ['https://[64:ff9b::808:808]/', 'not public'],
    ['https://0/', 'no request may go there'],
    ['https://0.0.0.0/', 'no request may go there'],
    ['https://[::]/', 'no request may go there'],
    ['https://255.255.255.255/', 'no request may go there'],
    ['https://224.0.0.1/', 'no request may go there'],
    ['https://[ff02::1]/', 'no request may go there'],
    ['https://169.254.169.254/latest/meta-data/', 'no request may go there'],
    ['https://2852039166/', 'no request may go there'],
    ['https://[fd00:ec2::254]/', 'no request may go there'],
    ['https://[::ffff:a9fe:a9fe]/', 'no request may go there'],
  ])('%s', async (url, reason) => {
    const outbound = outboundWith({})
    expect(outbound.refusal(url)).toContain(reason)
    expect(await outbound.ask(url, REQUEST)).toMatchObject({ kind: 'unsent', reason: 'address' })
    expect(outbound.asked).toEqual([])
    expect(outbound.clock.timers).toBe(0)
  })

  test('a good one is not', () => {
    const { refusal } = outboundWith({ ports: [443, 8443] })
    for (const url of [
      'https://a.example',
      'https://a.example:8443/x?y#z',
      'https://8.8.8.8/',
      'https://[2606:4700::1]/',
    ])
      expect(refusal(url)).toBeNull()
  })
})

describe('a name', () => {
  test.each([
    ['a private address', ['10.0.0.1'], 'not public'],
    ['a private one among public ones', ['8.8.8.8', '1.1.1.1', '10.0.0.1'], 'not public'],
    ['this machine', ['127.0.0.1'], 'this machine'],
    ['this machine, mapped', ['::ffff:127.0.0.1'], 'this machine'],
    ['the metadata of a cloud', ['169.254.169.254'], 'no request'],
    ['the metadata of a cloud, through NAT64', ['64:ff9b::a9fe:a9fe'], 'no request'],
    ['an interface of this machine, public as it is', ['203.0.114.7'], 'this machine'],
    ['an interface of this machine, as IPv6', ['2606:4700:0::7'], 'this machine'],
    ['something that is no address', ['0x7f.1'], 'not written as an address'],
  ])('that leads to %s is refused', async (_name, ips, reason) => {
    const own = ['203.0.114.7', '2606:4700::7']
    const { ask } = outboundWith({ names: { 'a.example': ips }, own })
    expect(await ask('https://a.example/', REQUEST)).toEqual({
      kind: 'unsent',
      reason: 'address',
      message: expect.stringContaining(reason),
    })
  })

  test('that does not exist', async () => {
    expect(await outboundWith({}).ask('https://a.example/', REQUEST)).toMatchObject({ kind: 'unsent', reason: 'dns' })
    const empty = outboundWith({ names: { 'a.example': [] } })
    expect(await empty.ask('https://a.example/', REQUEST)).toMatchObject({ kind: 'unsent', reason: 'dns' })
  })
})

describe('what the operator allows', () => {
  const refused = (url: string, allow: readonly string[], own: readonly string[] = []): string | null =>
    outboundWith({ allow, own }).refusal(url)

  test('private ranges', () => {
    expect(refused('https://10.1.2.3/', ['10.0.0.0/8'])).toBeNull()
    expect(refused('https://[::ffff:10.1.2.3]/', ['10.0.0.0/8'])).toBeNull()
    expect(refused('https://[fd00::1]/', ['fd00::/8'])).toBeNull()
    expect(refused('https://11.0.0.1/', ['10.0.0.0/8'])).toBeNull()
    expect(refused('https://192.168.0.1/', ['10.0.0.0/8'])).toContain('not public')
  })

  test('this machine only by an address of its own', () => {
    expect(refused('https://127.0.0.1/', ['127.0.0.0/8', '0.0.0.0/0'])).toContain('this machine')
    expect(refused('https://127.0.0.1/', ['127.0.0.1/32'])).toBeNull()
    expect(refused('https://127.0.0.2/', ['127.0.0.1'])).toContain('this machine')
    expect(refused('https://10.0.0.5/', ['10.0.0.0/8'], ['10.0.0.5'])).toContain('this machine')
    expect(refused('https://10.0.0.5/', ['10.0.0.0/8', '10.0.0.5'], ['10.0.0.5'])).toBeNull()
  })

  test('IPv6 that stands for IPv4: both must be allowed', () => {
    expect(refused('https://[64:ff9b::808:808]/', ['64:ff9b::/96'])).toBeNull()
    expect(refused('https://[64:ff9b::a00:1]/', ['64:ff9b::/96'])).toContain('not public')
    expect(refused('https://[64:ff9b::a00:1]/', ['10.0.0.0/8'])).toContain('not public')
    expect(refused('https://[64:ff9b::a00:1]/', ['64:ff9b::/96', '10.0.0.0/8'])).toBeNull()
    expect(refused('https://[64:ff9b::7f00:1]/', ['64:ff9b::/96', '127.0.0.0/8'])).toContain('this machine')
  })

  test('never the metadata of a cloud', () => {
    expect(refused('https://169.254.169.254/', ['169.254.169.254', '0.0.0.0/0'])).toContain('no request')
  })
})

describe('a request', () => {
  test('has a connection of its own, to an address looked up for it', async () => {
    await using server = await rawServer(always(plain('yes')), good)
    const { ask, asked, clock } = reaching(server)
    for (let n = 0; n < 3; n++) {
      const answer = await ask(`https://localhost:${server.port}/hook?x=1#y`, REQUEST)
      expect(answer).toMatchObject({ kind: 'answer', head: { status: 200 }, body: Buffer.from('yes') })
    }
    expect(server.accepted).toBe(3)
    expect(asked).toHaveLength(3)
    expect(server.requests[0]?.head).toStartWith(
      `POST /hook?x=1 HTTP/1.1\r\nhost: localhost:${server.port}\r\ncontent-type: application/json\r\ncontent-length: 7`,
    )
    expect(clock.timers).toBe(0)
  })

  test('to a name that was public and leads elsewhere now is refused', async () => {
    await using server = await rawServer(always(plain('yes')), good)
    const names: Record<string, string[]> = { localhost: ['127.0.0.1'] }
    const { ask } = reaching(server, names)
    const url = `https://localhost:${server.port}/`
    expect(await ask(url, REQUEST)).toMatchObject({ kind: 'answer' })
    names.localhost = ['127.0.0.2']
    expect(await ask(url, REQUEST)).toMatchObject({ kind: 'unsent', reason: 'address' })
    names.localhost = ['127.0.0.1']
    expect(await ask(url, REQUEST)).toMatchObject({ kind: 'answer' })
    expect(server.accepted).toBe(2)
  })

  test('a redirect is an answer, and not followed', async () => {
    const away = plain('', { status: '307 Temporary Redirect', headers: ['location: https://127.0.0.1:1/'] })
    await using server = await rawServer(always(away), good)
    const { ask, asked } = reaching(server)
    const answer = await ask(`https://localhost:${server.port}/`, REQUEST)
    expect(answer).toMatchObject({ kind: 'answer', head: { status: 307 } })
    expect(asked).toEqual(['localhost'])
    expect(server.accepted).toBe(1)
  })

  test('a certificate of another name is refused, with nothing sent', async () => {
    await using server = await rawServer(always(plain('yes')), misnamed)
    const { ask } = reaching(server)
    expect(await ask(`https://localhost:${server.port}/`, REQUEST)).toMatchObject({ kind: 'unsent', reason: 'tls' })
    expect(server.receivedBytes).toBe(0)
  })

  test('ends by its own limit of time', async () => {
    const came = gate()
    await using server = await rawServer(async (peer) => {
      await peer.request()
      came.open()
      await peer.closed
    }, good)
    const { ask, clock } = reaching(server)
    const answer = ask(`https://localhost:${server.port}/`, REQUEST)
    await came.opened
    clock.advance(10_000)
    expect(await answer).toMatchObject({ kind: 'given_up', reason: 'total_timeout', sent: true })
    await until(() => server.open === 0)
    expect(clock.timers).toBe(0)
  })

  test('ends by the signal of who asked', async () => {
    await using server = await rawServer(always(plain('yes')), good)
    const { ask } = reaching(server)
    const answer = await ask(`https://localhost:${server.port}/`, REQUEST, AbortSignal.abort())
    expect(answer).toMatchObject({ kind: 'given_up', reason: 'aborted', sent: false })
    expect(server.receivedBytes).toBe(0)
  })

  test('an answer that is too large is not taken in', async () => {
    await using server = await rawServer(always(plain('x'.repeat(1001))), good)
    const { ask } = reaching(server)
    const answer = await ask(`https://localhost:${server.port}/`, REQUEST)
    expect(answer).toMatchObject({ kind: 'given_up', reason: 'too_large', sent: true })
    await until(() => server.open === 0)
  })

  test('is never the 1025th at a time', async () => {
    const { ask } = outboundWith({ names: {}, allow: [] })
    const many = Array.from({ length: 1100 }, () => ask('https://a.example/', REQUEST))
    const reasons = (await Promise.all(many)).map((end) => (end.kind === 'unsent' ? end.reason : end.kind))
    expect(reasons.filter((reason) => reason === 'dns')).toHaveLength(1024)
    expect(reasons.filter((reason) => reason === 'no_room')).toHaveLength(76)
    expect(await ask('https://a.example/', REQUEST)).toMatchObject({ reason: 'dns' }) // there is room again
  })
})
