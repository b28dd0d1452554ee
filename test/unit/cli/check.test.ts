import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { runCommand } from '../../support/run-command.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const KEYS = { OPENAI_API_KEY: 'sk-canary', ANTHROPIC_API_KEY: 'sk-ant-canary', MY_KEY: 'my-canary' }

async function check(yaml: string | null, words: readonly string[] = []) {
  using folder = temporaryFolder()
  const path = folder.at('my.yaml')
  if (yaml !== null) writeFileSync(path, yaml)
  const place = yaml === null ? [] : ['--config', path]
  const { code, said, complained } = await runCommand(['check', ...place, ...words], { env: KEYS })
  expect(said + complained).not.toContain('canary')
  return { code, said: said.replaceAll(path, 'my.yaml'), complained }
}

test('without a file: what the environment means', async () => {
  const { code, said } = await check(null)
  expect(code).toBe(0)
  expect(said).toMatch(
    /^No file, so the defaults and the environment: listens on 127\.0\.0\.1:8080, 2 backends, \d+ models\.$/m,
  )
  expect(said).toMatch(/^openai +OPENAI_API_KEY +\d+ +on$/m)
  expect(said).toMatch(/^anthropic +ANTHROPIC_API_KEY +\d+ +on$/m)
  expect(said).not.toContain('openai/gpt-4o-mini') // hundreds of lines would hide what the file says
})

const WHOLE = `
server: { host: 0.0.0.0, trust_proxy: [10.0.0.0/8], cors: [https://app.example.com] }
metrics: { listen: "[::]:9090" }
presets: on
providers:
  me:
    data: { retention: none, training: false }
    credentials: [{ id: main, env: MY_KEY }]
    backends: { mine: { url: "http://127.0.0.1:9/v1" } }
models:
  big: { offers: [{ backend: openai, as: gpt-5.4, price: genai-prices }, { backend: mine }] }
aliases: { large: big }
routers: { team/auto: { candidates: [big], by: price } }
`

test('with one: what it says itself, what is open, what serves whom', async () => {
  const { code, said } = await check(WHOLE)
  expect(code).toBe(0)
  expect(said).toMatch(/^my\.yaml can be used: listens on 0\.0\.0\.0:8080, 3 backends, \d+ models\.$/m)
  expect(said).toMatch(/^big +openai +gpt-5\.4 +\$2\.50 \/ \$15\.00, tiered +enabled$/m)
  expect(said).toMatch(/^large +big$/m)
  expect(said).toMatch(/^team\/auto +price +big$/m)
  expect(said).not.toMatch(/^gpt-4o-mini /m)
  expect(said).toContain('Without a price, so for unmetered accounts only: mine/big\n')
  expect(said).toContain('X-Forwarded-For is believed from 10.0.0.0/8\n')
  expect(said).toContain('Pages may call from https://app.example.com\n')
  expect(said).toContain('0.0.0.0 is open to other machines, and this is no TLS')
  expect(said).toContain('[::]:9090 shows the metrics to all who reach it, without a key\n')
  const twice = await check(WHOLE.replace('"[::]:9090"', '0.0.0.0:8080'))
  expect(twice.said).toContain('0.0.0.0:8080 is the address of the server and of metrics.listen: give one')
})

test('--json: everything, presets with their models included', async () => {
  const answer = JSON.parse((await check(WHOLE, ['--json'])).said)
  expect(answer).toMatchObject({
    valid: true,
    listen: '0.0.0.0:8080',
    trust_proxy: ['10.0.0.0/8'],
    cors: ['https://app.example.com'],
    metrics_listen: '[::]:9090',
    presets: [
      { id: 'openai', state: 'on' },
      { id: 'anthropic', state: 'on' },
    ],
    backends: [
      { id: 'mine', data: { retention_days: 0, training: false } },
      { id: 'openai', data: null },
      { id: 'anthropic', data: null },
    ],
    aliases: { large: 'big', 'gpt-4o-mini': 'openai/gpt-4o-mini' },
    routers: { 'team/auto': { candidates: ['big'], by: 'price', free_only: false, needs: {} } },
  })
  const byId = new Map(answer.models.map((model: { id: string }) => [model.id, model]))
  expect(byId.get('openai/gpt-4o-mini')).toMatchObject({
    context: 128_000,
    offers: [{ backend: 'openai', provider_model: 'gpt-4o-mini', price: '$0.15 / $0.60', cost: '$0.15 / $0.60' }],
  })
})

test('nothing at all is a configuration, and says that nothing can be served', async () => {
  const { code, said } = await check('presets: off\n')
  expect(code).toBe(0)
  expect(said).toMatch(
    /^my\.yaml can be used: .*\n\nNothing can be served yet: set a key such as OPENAI_API_KEY, or describe a provider in my\.yaml\.\n$/,
  )
})

const places = (home: string) => `
presets: off
routing: { home_regions: ${home} }
providers:
  p:
    backends:
      near: { url: "http://127.0.0.1:9/v1", region: ca-central }
      far: { url: "http://127.0.0.1:9/v1", region: us }
      somewhere: { url: "http://127.0.0.1:9/v1" }
models:
  m: { offers: [{ backend: near }, { backend: far }, { backend: somewhere }] }
`

test('home regions: which backends are abroad', async () => {
  const { said } = await check(places('[ca]'))
  expect(said).toContain('Outside ca, so for accounts and keys that may leave home only: far, somewhere\n')
  expect((await check(places('[fr, de]'))).said).toContain('No backend runs in fr, de: only who may leave home')
  expect((await check(places('[]'))).said).not.toContain('home')
  expect(JSON.parse((await check(places('ca'), ['--json'])).said)).toMatchObject({ home_regions: ['ca'] })
  const wrong = await check(places('[""]'))
  expect(wrong.code).toBe(1)
  expect(wrong.complained).toContain('routing.home_regions')
})
