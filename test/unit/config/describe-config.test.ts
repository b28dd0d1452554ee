import { expect, test } from 'bun:test'
import { configOf } from './support.ts'

const FILE = `server:
  port: 9090
  trust_proxy: [10.0.0.0/8]
routing: { queue_ms: 0 }
allow_inline_secrets: true
providers:
  acme:
    credentials:
      - { id: main, env: ACME_KEY }
      - { id: spare, value: sk-inline-canary-0123456789 }
    backends:
      acme-ca: { url: "http://127.0.0.1:9/v1" }
models:
  acme/small:
    offers:
      - { backend: acme-ca, price: { input: "0.15", output: "0.60" } }
`

async function settingsOf(yaml: string, env: Record<string, string> = {}) {
  const settings = (await configOf(yaml, env)).settings()
  return { settings, of: new Map(settings.map((setting) => [setting.path, setting])) }
}

const inFile = (path: string, value: unknown, line: number, column: number) => ({
  path,
  value,
  from: 'file',
  line,
  column,
})

test('what the file says, as it says it, and where', async () => {
  const { of } = await settingsOf(FILE, { ACME_KEY: 'sk-env-canary-0123456789' })
  for (const expected of [
    inFile('server.port', 9090, 2, 9),
    inFile('server.trust_proxy.0', '10.0.0.0/8', 3, 17),
    inFile('routing.queue_ms', 0, 4, 22),
    inFile('providers.acme.backends.acme-ca.url', 'http://127.0.0.1:9/v1', 12, 23),
    inFile('models.acme/small.offers.0.price.input', '0.15', 16, 45),
  ]) {
    expect(of.get(expected.path)).toMatchObject(expected)
  }
})

test('no secret, but where it is', async () => {
  const { settings, of } = await settingsOf(FILE, { ACME_KEY: 'sk-env-canary-0123456789' })
  expect(of.get('providers.acme.credentials.0.env')?.value).toBe('ACME_KEY')
  expect(of.get('providers.acme.credentials.1.value')).toMatchObject({ value: '***', from: 'file', line: 10 })
  expect(JSON.stringify(settings)).not.toContain('canary')
})

test('what the file leaves open, by its default, each once', async () => {
  const { settings, of } = await settingsOf(FILE, { ACME_KEY: 'sk-env-canary-0123456789' })
  const byDefault = { from: 'default', line: null, column: null } as const
  expect(of.get('server.host')).toEqual({ path: 'server.host', value: '127.0.0.1', ...byDefault })
  expect(of.get('routing.attempts_max')).toMatchObject({ value: 3, ...byDefault })
  expect(of.get('server.cors')).toMatchObject({ value: 'off', ...byDefault })
  expect(of.size).toBe(settings.length)
})

test('without a file: all defaults', async () => {
  const { settings, of } = await settingsOf('')
  expect(new Set(settings.map(({ from }) => from))).toEqual(new Set(['default']))
  expect(of.get('server.port')?.value).toBe(8080)
  expect(of.get('server.trust_proxy')?.value).toEqual([])
})

test('a provider whose key is in the environment is there, without the key', async () => {
  const { settings, of } = await settingsOf('server: { port: 1 }', { GROQ_API_KEY: 'gsk-canary-0123456789' })
  expect(of.get('providers.groq.credentials.0.env')).toMatchObject({ value: 'GROQ_API_KEY', from: 'environment' })
  expect(of.get('providers.groq.backends.groq.url')).toMatchObject({ from: 'environment', line: null })
  expect(JSON.stringify(settings)).not.toContain('canary')
})
