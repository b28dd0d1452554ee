import { describe, expect, test } from 'bun:test'
import { proxyFromEnvironment, readOutboundProxy } from '../../../src/config/outbound-proxy.ts'
import { configOf, problemsOf, withBackend } from './support.ts'

const proxy = (host: string, port: number, authorization: string | null = null) => ({
  kind: 'proxy' as const,
  proxy: { host, port, authorization },
})
const DIRECT = { kind: 'proxy', proxy: null } as const

describe('readOutboundProxy', () => {
  test.each([
    ['http://proxy.example:3128', proxy('proxy.example', 3128)],
    ['http://proxy.example/', proxy('proxy.example', 80)],
    ['http://[::1]:3128', proxy('::1', 3128)],
    ['http://us%40er:p%3Aw@h:1', proxy('h', 1, `Basic ${btoa('us@er:p:w')}`)],
    ['http://user@h:1', proxy('h', 1, `Basic ${btoa('user:')}`)],
  ])('%s', (text, wanted) => {
    expect(readOutboundProxy(text, true)).toEqual(wanted)
  })

  test.each([
    'canary',
    'https://canary:1',
    'socks5://canary:1',
    'http://',
    'http://h/canary',
    'http://h?canary',
    'http://h#canary',
    'http://canary%ff:x@h',
  ])('%s is none, and is not repeated', (text) => {
    const found = readOutboundProxy(text, true)
    expect(found.kind).toBe('problem')
    expect(JSON.stringify(found)).not.toContain('canary')
  })

  test('a credential only where it may be', () => {
    const found = readOutboundProxy('http://canary:canary@h', false)
    expect(found).toMatchObject({ kind: 'problem', reason: 'must not hold a user or a password' })
    expect(JSON.stringify(found)).not.toContain('canary')
  })
})

describe('proxyFromEnvironment', () => {
  const env = { HTTPS_PROXY: 'http://secure:1', HTTP_PROXY: 'plain:2' }
  test('by scheme; without a scheme of its own it is http', () => {
    expect(proxyFromEnvironment('https://a.example/v1', env)).toMatchObject(proxy('secure', 1))
    expect(proxyFromEnvironment('http://a.example/v1', env)).toMatchObject(proxy('plain', 2))
    expect(proxyFromEnvironment('http://a.example/v1', { HTTPS_PROXY: 'http://secure:1' })).toMatchObject(DIRECT)
    expect(proxyFromEnvironment('https://a.example', { ...env, https_proxy: 'http://small:3' })).toMatchObject(
      proxy('small', 3),
    )
    expect(proxyFromEnvironment('https://a.example', { HTTPS_PROXY: ' ' })).toMatchObject(DIRECT)
  })

  test.each(['localhost', 'a.localhost', '127.0.0.1', '127.9.9.9', '[::1]', 'localhost.'])(
    'never for this machine: %s',
    (host) => {
      expect(proxyFromEnvironment(`https://${host}:8443/v1`, env)).toMatchObject(DIRECT)
    },
  )

  test.each([
    ['*', 'https://a.example', true],
    ['a.example', 'https://a.example', true],
    ['a.example', 'https://A.Example.', true],
    ['.a.example', 'https://a.example', true],
    ['.a.example', 'https://b.a.example', true],
    ['*.a.example', 'https://b.a.example', true],
    ['a.example', 'https://b.a.example', true],
    ['a.example', 'https://ba.example', false],
    ['b.a.example', 'https://a.example', false],
    ['x, a.example ,y', 'https://a.example', true],
    ['x a.example', 'https://a.example', true],
    ['a.example:443', 'https://a.example', true],
    ['a.example:8443', 'https://a.example', false],
    ['10.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://11.1.2.3', false],
    ['10.0.0.1', 'https://10.0.0.1:8443', true],
    ['10.0.0.1:443', 'https://10.0.0.1:8443', false],
    ['0.0.1', 'https://10.0.0.1', false],
    ['2001:DB8::1', 'https://[2001:db8:0::1]', true],
    ['[2001:db8::1]:443', 'https://[2001:db8::1]', true],
    ['.', 'https://a.example', false],
    ['', 'https://a.example', false],
  ])('NO_PROXY=%s, %s: direct %s', (list, url, isDirect) => {
    const found = proxyFromEnvironment(url, { ...env, NO_PROXY: list })
    expect(found).toMatchObject(isDirect ? DIRECT : proxy('secure', 1))
    expect(proxyFromEnvironment(url, { ...env, NO_PROXY: '', no_proxy: list })).toEqual(found)
  })
})

describe('proxy of a backend', () => {
  const proxyOf = async (backend: string, env: Record<string, string> = {}, files: Record<string, string> = {}) =>
    (await configOf(withBackend(backend), env, files)).catalogue.backends.get('a')?.proxy

  test('from the file, with its credential elsewhere', async () => {
    const bare = { host: 'p.example', port: 3128, authorization: null }
    expect(await proxyOf('{ url: "https://h", proxy: "http://p.example:3128" }')).toEqual(bare)
    const whole = '{ url: "https://h", proxy: { url: "http://p.example:3128", credential: { env: P } } }'
    expect(await proxyOf(whole, { P: 'user:word' })).toEqual({ ...bare, authorization: `Basic ${btoa('user:word')}` })
    const file = whole.replace('env: P', 'file: p.txt')
    expect(await proxyOf(file, {}, { '/etc/p.txt': 'user:word\n' })).toMatchObject({
      authorization: `Basic ${btoa('user:word')}`,
    })
  })

  test('from the environment, unless the file says something', async () => {
    const env = { HTTPS_PROXY: 'http://u:w@env:1', NO_PROXY: 'other.example' }
    expect(await proxyOf('{ url: "https://h" }', env)).toMatchObject({ host: 'env', port: 1 })
    expect(await proxyOf('{ url: "https://other.example" }', env)).toBeNull()
    expect(await proxyOf('{ url: "https://h", proxy: off }', env)).toBeNull()
    expect(await proxyOf('{ url: "https://h", proxy: "http://file:2" }', env)).toMatchObject({ host: 'file' })
  })

  test.each([
    ['{ url: "https://h", proxy: "canary" }', 'proxy'],
    ['{ url: "https://h", proxy: "http://canary:canary@h:1" }', 'proxy'],
    ['{ url: "https://h", proxy: { url: "https://canary" } }', 'proxy.url'],
    ['{ url: "https://h", proxy: { url: "http://h", credential: { env: P } } }', 'proxy.credential'],
    ['{ url: "https://h", proxy: { url: "http://h", credential: { env: MISSING } } }', 'proxy.credential.env'],
    ['{ url: "https://h", proxy: { url: "http://h", credential: {} } }', 'proxy'],
    ['{ url: "https://h", proxy: 3 }', 'proxy'],
  ])('%s is a problem that tells no secret', async (backend, where) => {
    const problems = await problemsOf(withBackend(backend), { P: 'canary' })
    expect(problems).toHaveLength(1)
    expect(problems[0]?.path).toStartWith(`providers.acme.backends.a.${where}`)
    expect(JSON.stringify(problems)).not.toContain('canary')
  })

  test('an unusable variable is told with its name', async () => {
    const problems = await problemsOf(withBackend('{ url: "https://h" }'), { HTTPS_PROXY: 'socks5://canary:1' })
    expect(problems).toMatchObject([
      {
        path: 'providers.acme.backends.a.url',
        reason: expect.stringContaining('the environment variable HTTPS_PROXY'),
        suggestion: expect.stringContaining('proxy: off'),
      },
    ])
    expect(JSON.stringify(problems)).not.toContain('canary')
  })
})

describe('network', () => {
  test('ranges and ports', async () => {
    const { network } = await configOf('network: { allow_private: [10.0.0.0/8, "fd00::1"], ports: [443, 8443] }')
    expect(network.allowPrivate.map(({ text }) => text)).toEqual(['10.0.0.0/8', 'fd00::1'])
    expect(network.ports).toEqual([443, 8443])
  })

  test.each(['allow_private: [10.0.0.0/33]', 'allow_private: [localhost]', 'ports: []', 'ports: [0]', 'more: 1'])(
    '%s is a problem',
    async (line) => {
      expect(await problemsOf(`network: { ${line} }`)).toHaveLength(1)
    },
  )
})
