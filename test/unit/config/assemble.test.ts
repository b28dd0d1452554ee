import { describe, expect, test } from 'bun:test'
import { configOf, problemsOf, withBackend, withOffer } from './support.ts'

const WHOLE = `
providers:
  acme:
    dialects: [openai]
    ownership: ca
    credentials: [{ id: main, env: ACME_API_KEY }, { id: spare, file: spare.key }]
    backends:
      acme-ca: { url: "https://API.acme.example:443/v1/", region: ca, slots: 8, idle_ms: 5 }
      acme-us: { url: "http://127.0.0.1:9", enabled: false }
models:
  acme/small:
    context: 128000
    output_max: 16384
    capabilities: [tools, images]
    offers:
      - { backend: acme-ca, as: small-2026, price: { input: "0.15", output: "0.60" } }
      - { backend: acme-us, enabled: false }
aliases: { small: acme/small }
`

describe('catalogue parts', () => {
  test('are domain values, joined by identity', async () => {
    const { catalogue } = await configOf(WHOLE, { ACME_API_KEY: ' sk-main\n' }, { '/etc/spare.key': 'sk-spare\n' })
    const backend = catalogue.backends.get('acme-ca')
    expect(backend).toEqual({
      id: 'acme-ca',
      provider: {
        id: 'acme',
        ownership: 'ca',
        data: null,
        dialects: ['openai'],
        credentials: [
          { id: 'main', secret: 'sk-main' },
          { id: 'spare', secret: 'sk-spare' },
        ],
      },
      baseUrl: 'https://api.acme.example/v1',
      dialects: ['openai'],
      region: 'ca',
      enabled: true,
      slots: 8,
      tls: { caPem: null, client: null },
      proxy: null,
      resend: 'stale',
      ping: { path: '/models', everyMs: null, withCredential: false },
      limits: { connectMs: 5000, firstContentMs: 120_000, totalMs: 600_000, idleMs: 5 },
    })
    const model = catalogue.models.get('acme/small')
    expect(model).toMatchObject({
      id: 'acme/small',
      contextTokensMax: 128_000,
      outputTokensMax: 16_384,
      capabilities: ['tools', 'images'],
    })
    expect(model?.offers).toMatchObject([
      {
        id: 'acme-ca/acme/small',
        model: 'acme/small',
        providerModel: 'small-2026',
        enabled: true,
        cost: null,
        outputTokensMax: 16_384,
      },
      { id: 'acme-us/acme/small', providerModel: 'acme/small', enabled: false, price: null },
    ])
    expect(model?.offers[0]?.backend).toBe(backend)
    expect(catalogue.backends.get('acme-us')).toMatchObject({ enabled: false, region: null, slots: 64 })
    expect(catalogue.aliases).toEqual(new Map([['small', 'acme/small']]))
  })

  test('a scalar dialect and none at all are fine, and so is a provider without a credential', async () => {
    const text = withBackend('{ url: "http://127.0.0.1:9" }')
    const none = await configOf(text)
    const scalar = await configOf(text.replace('acme:', 'acme:\n    dialects: openai'))
    for (const { catalogue } of [none, scalar]) {
      expect(catalogue.backends.get('a')?.provider).toEqual({
        id: 'acme',
        ownership: null,
        data: null,
        dialects: ['openai'],
        credentials: [],
      })
    }
  })

  test('a backend speaks the dialects of its provider, or its own', async () => {
    const text = withBackend('{ url: "http://h" }').replace('acme:', 'acme:\n    dialects: [openai, anthropic]')
    const { catalogue } = await configOf(`${text}      b: { url: "http://h/anthropic/v1", dialects: anthropic }\n`)
    expect([...catalogue.backends.values()].map(({ id, dialects }) => [id, dialects])).toEqual([
      ['a', ['openai', 'anthropic']],
      ['b', ['anthropic']],
    ])
  })
})

describe('secrets', () => {
  const withCredentials = (credentials: string) =>
    withBackend('{ url: "http://127.0.0.1:9" }').replace('acme:', `acme:\n    credentials: [${credentials}]`)

  test('a missing or empty variable and an unreadable file are told with their line', async () => {
    expect(await problemsOf(withCredentials('{ id: main, env: ACME_KEY }'))).toMatchObject([
      {
        path: 'providers.acme.credentials.0.env',
        line: 3,
        column: 36,
        reason: 'the environment variable ACME_KEY is not set',
        suggestion: 'export ACME_KEY=…',
      },
    ])
    expect(await problemsOf(withCredentials('{ id: main, env: ACME_KEY }'), { ACME_KEY: ' ' })).toMatchObject([
      { reason: 'the environment variable ACME_KEY is empty' },
    ])
    for (const everywhere of ['constructor', 'toString', '__proto__'])
      expect(await problemsOf(withCredentials(`{ id: main, env: ${everywhere} }`))).toMatchObject([
        { reason: 'this environment variable is not set' },
      ])
    expect(await problemsOf(withCredentials('{ id: main, file: none.key }'))).toMatchObject([
      { path: 'providers.acme.credentials.0.file', line: 3, reason: 'this file cannot be used: there is no such file' },
    ])
  })

  test('inline secrets are refused with the reason', async () => {
    for (const key of ['key', 'secret', 'token', 'api_key', 'value']) {
      const problems = await problemsOf(withCredentials(`{ id: main, ${key}: sk-canary }`))
      expect(problems).toMatchObject([
        {
          path: `providers.acme.credentials.0.${key}`,
          reason: expect.stringMatching(/a secret is (not|never) written into this file/),
          suggestion: expect.stringContaining('Name where it is: env: NAME_OF_VARIABLE, or file: /path/of/secret'),
        },
      ])
      expect(JSON.stringify(problems)).not.toContain('canary')
    }
  })

  test('an inline secret is taken where its operator allows it, and nowhere else', async () => {
    const yaml = `allow_inline_secrets: true\n${withCredentials('{ id: main, value: " sk-canary " }')}`
    const { catalogue } = await configOf(yaml)
    expect(catalogue.backends.get('a')?.provider.credentials).toEqual([{ id: 'main', secret: 'sk-canary' }])
    const [problem] = await problemsOf(withCredentials('{ id: main, value: sk-canary }'))
    expect(problem?.suggestion).toContain('allow_inline_secrets: true allows it here')
    const [bad] = await problemsOf(yaml.replace(' sk-canary ', 'canary with spaces'))
    expect(bad).toMatchObject({ path: 'providers.acme.credentials.0.value', line: 4 })
    expect(JSON.stringify(bad)).not.toContain('canary')
  })

  test('neither or both places are refused', async () => {
    for (const credential of ['{ id: main }', '{ id: main, env: A, file: b }']) {
      expect(await problemsOf(withCredentials(credential), { A: 'x' })).toMatchObject([
        { path: 'providers.acme.credentials.0' },
      ])
    }
  })

  test('a secret in the place of a name, and one that no header can carry, are never repeated', async () => {
    for (const [credential, env] of [
      ['{ id: main, env: sk-canary }', {}],
      ['{ id: main, env: canary_0123456789abcdef }', {}],
      ['{ id: main, env: A }', { A: 'canary\r\nx-evil: 1' }],
      ['{ id: main, env: A }', { A: 'canäry canary' }],
    ] as const) {
      const problems = await problemsOf(withCredentials(credential), env)
      expect(problems).toHaveLength(1)
      expect(JSON.stringify(problems)).not.toContain('canary')
    }
  })

  test('two credentials of one id are refused', async () => {
    expect(await problemsOf(withCredentials('{ id: x, env: A }, { id: x, env: A }'), { A: 's' })).toMatchObject([
      { path: 'providers.acme.credentials.1.id', line: 3 },
    ])
  })
})

describe('backends', () => {
  test('bad URLs are refused, without repeating what may be secret', async () => {
    for (const url of [
      'ftp://h/v1',
      'api.acme.example',
      'http://',
      'https://u:canary@h/v1',
      'https://h/v1?key=canary',
      'https://h/v1#canary',
      'x y',
      '""',
      'http://h/v1/chat/completions',
    ]) {
      const problems = await problemsOf(withBackend(`{ url: "${url.replaceAll('"', '')}" }`))
      expect(problems).toMatchObject([{ path: 'providers.acme.backends.a.url', line: 4, column: 17 }])
      expect(JSON.stringify(problems)).not.toContain('canary')
    }
  })

  test('one id twice, in different providers, is refused', async () => {
    const text = `${withBackend('{ url: "http://h" }')}  other:\n    backends:\n      a: { url: "http://i" }\n`
    expect(await problemsOf(text)).toMatchObject([
      { path: 'providers.other.backends.a', line: 7, column: 7, reason: "provider 'acme' has a backend 'a' too" },
    ])
  })

  test('a provider without a backend is refused', async () => {
    expect(await problemsOf('providers:\n  acme: { backends: {} }\n')).toMatchObject([
      { path: 'providers.acme.backends', line: 2 },
    ])
  })

  test('certificates are read and checked', async () => {
    const backend = withBackend('{ url: "https://h", tls: { ca_file: ca.pem } }')
    expect(await problemsOf(backend)).toMatchObject([
      { path: 'providers.acme.backends.a.tls.ca_file', reason: 'this file cannot be used: there is no such file' },
    ])
    expect(await problemsOf(backend, {}, { '/etc/ca.pem': 'hello' })).toMatchObject([
      { reason: 'this file holds no certificate in PEM form' },
    ])
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
    expect(await problemsOf(backend, {}, { '/etc/ca.pem': broken })).toMatchObject([
      { reason: 'certificate 1 of this file cannot be read' },
    ])
    const { catalogue } = await configOf(backend, {}, { '/etc/ca.pem': CERTIFICATE })
    expect(catalogue.backends.get('a')?.tls.caPem).toBe(CERTIFICATE)
    const plain = await problemsOf(backend.replace('https', 'http'), {}, { '/etc/ca.pem': CERTIFICATE })
    expect(plain).toMatchObject([
      { path: 'providers.acme.backends.a.tls.ca_file', reason: 'an http:// backend has no TLS' },
    ])
  })
})

describe('references', () => {
  test('to unknown backends are told with the nearest', async () => {
    const text = withOffer('{ backend: acme-c }').replace('      a:', '      acme-ca:')
    expect(await problemsOf(text)).toMatchObject([
      {
        path: 'models.m.offers.0.backend',
        line: 8,
        column: 20,
        reason: "there is no backend 'acme-c'",
        suggestion: "Did you mean 'acme-ca'?",
      },
    ])
    expect(await problemsOf('models:\n  m: { offers: [{ backend: a }] }\n')).toMatchObject([
      { suggestion: 'This file has no backend.' },
    ])
  })

  test('a backend with a problem of its own is not called unknown', async () => {
    const problems = await problemsOf(withOffer('{ backend: a }').replace('http://', 'ftp://'))
    expect(problems).toMatchObject([{ path: 'providers.acme.backends.a.url' }])
  })

  test('a backend offers a model once', async () => {
    expect(await problemsOf(withOffer('{ backend: a }\n      - { backend: a, as: other }'))).toMatchObject([
      { path: 'models.m.offers.1.backend', line: 9 },
    ])
  })

  test('aliases that shadow a model, point nowhere or at an alias are refused', async () => {
    const problems = await problemsOf(
      `${withOffer('{ backend: a }')}aliases:\n  m: m\n  x: mm\n  y: x\n  toString: constructor\n`,
    )
    expect(problems).toMatchObject([
      { path: 'aliases.m', line: 10, column: 3, reason: "'m' is a model already: the alias would hide it" },
      { path: 'aliases.x', line: 11, column: 6, reason: "there is no model 'mm'", suggestion: "Did you mean 'm'?" },
      { path: 'aliases.y', line: 12, reason: "'x' is an alias itself" },
      { path: 'aliases.toString', line: 13, reason: "there is no model 'constructor'" },
    ])
  })
})

const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBdDCCARugAwIBAgIUITN0iti3PHwYQ96He2bdyu0U5dMwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMzAwNjUzNTVaGA8yMTI2MTEwNjA2NTM1
NVowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABPth
X7d0ZOtPLS9be9oqSmrIq1px4DkedRhLdzt0Xbv0fcX47tbaE0TocH82BrdHcCnp
PJfMkKomJMO/U44/ge+jUzBRMB0GA1UdDgQWBBRg+kLhMxzL8F4rGXqvpU8baB0/
NjAfBgNVHSMEGDAWgBRg+kLhMxzL8F4rGXqvpU8baB0/NjAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0cAMEQCICrNwgwWIMJ2JwiW2azXkTuJNs1g1ASoA29L
MqD/boJtAiBddeezTLy8VAxu6pHl1U/HhqLlxBSXjvnoEHIgFqtbCQ==
-----END CERTIFICATE-----
`
