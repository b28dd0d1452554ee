/**
 * Where the time of one request goes when it comes cold, warm and after a rest, with the limits and budgets of its key on: 16 candidates over 30
 * backends, one request at a time, each over the whole way of HTTP.
 *   npm run bench:gw -- [--keys 100] [--rest-seconds 100]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { adminOf, executable, runGateway } from '../support/run-gateway.ts'

const { values } = parseArgs({
  options: { keys: { type: 'string', default: '100' }, 'rest-seconds': { type: 'string', default: '100' } },
})
const KEYS = Number(values.keys)
const REST_MS = Number(values['rest-seconds']) * 1000
const BACKENDS = 30
const CANDIDATES = 16
const WARM_ROUNDS = 10
const PROVIDER_MS = 5

/** A provider that says how long it took itself. */
const provider = (() => {
  let lastUs = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const begunNs = Bun.nanoseconds()
      await request.bytes()
      await Bun.sleep(PROVIDER_MS)
      const message = { role: 'assistant', content: 'Hello' }
      const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
      const choices = [{ index: 0, message, finish_reason: 'stop' }]
      lastUs = (Bun.nanoseconds() - begunNs) / 1000
      return Response.json({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage })
    },
  })
  return { origin: `http://127.0.0.1:${server.port}`, lastUs: () => lastUs, stop: () => server.stop(true) }
})()

const folder = mkdtempSync(join(tmpdir(), 'anyrouter-gw-'))
const configPath = join(folder, 'anyrouter.yaml')
const dataFolder = join(folder, 'data')
const names = Array.from({ length: BACKENDS }, (_, at) => `b${at}`)
writeFileSync(join(folder, 'secret'), 'sk-provider\n', { mode: 0o600 })
writeFileSync(
  configPath,
  `providers:
  bench:
    credentials: [{ id: main, file: ${join(folder, 'secret')} }]
    backends:
${names.map((name) => `      ${name}: { url: "${provider.origin}/v1", slots: 8 }`).join('\n')}
models:
${modelOf('wide', names.slice(0, CANDIDATES))}
${modelOf('rest', names.slice(CANDIDATES))}
`,
)

function modelOf(model: string, backends: readonly string[]): string {
  const offers = backends.map((name) => `      - { backend: ${name}, as: m, price: { input: "0.15", output: "0.60" } }`)
  return `  ${model}:\n    offers:\n${offers.join('\n')}`
}

const KEY_TERMS = {
  budget_total_usd: '100',
  budget_day_usd: '100',
  requests_per_minute: 100_000,
  tokens_per_minute: 100_000_000,
  concurrency: 100,
}

/** Accounts with money, each with a key that has every kind of limit. Answers the secrets. */
async function createKeys(): Promise<string[]> {
  const gateway = await runGateway({ configPath, dataFolder })
  const admin = adminOf(dataFolder)
  const secrets: string[] = []
  for (let at = 0; at < KEYS; at++) {
    await admin('POST', '/accounts', { name: `a${at}` })
    await admin('POST', '/credits', { account: `a${at}`, usd: '100' })
    const { body } = await admin('POST', '/keys', { account: `a${at}`, name: 'k', ...KEY_TERMS })
    secrets.push(String((body as { secret?: unknown }).secret))
  }
  await gateway.stop()
  return secrets
}

/** In µs. */
interface Sample {
  readonly client: number
  readonly provider: number
  readonly stages: ReadonlyMap<string, number>
}

async function ask(origin: string, secret: string, status = 200): Promise<Sample> {
  const begunNs = Bun.nanoseconds()
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'wide', messages: [{ role: 'user', content: 'Hello there' }] }),
  })
  await response.arrayBuffer()
  const client = (Bun.nanoseconds() - begunNs) / 1000
  if (response.status !== status) throw new Error(`status ${response.status}`)
  const entries = [...(response.headers.get('server-timing') ?? '').matchAll(/([\w-]+);dur=([\d.]+)/g)]
  const stages = new Map(entries.map(([, name = '', ms]) => [name, Number(ms) * 1000]))
  return { client, provider: status === 200 ? provider.lastUs() : 0, stages }
}

async function lane(origin: string, secrets: readonly string[], status = 200): Promise<Sample[]> {
  const samples: Sample[] = []
  for (const secret of secrets) samples.push(await ask(origin, secret, status))
  return samples
}

const quantile = (list: readonly number[], share: number): number =>
  list.toSorted((one, other) => one - other)[Math.min(list.length - 1, Math.floor(list.length * share))] ?? Number.NaN

const ms = (us: number): string => (us / 1000).toFixed(2).padStart(9)
const STAGES = ['gw-recv', 'gw-auth', 'gw-ctx', 'gw-prep', 'gw-route', 'gw-hold', 'gw-wait']

function report(name: string, samples: readonly Sample[]): void {
  const of = (read: (sample: Sample) => number, share = 0.5) => quantile(samples.map(read), share)
  const gw = (sample: Sample) => sample.stages.get('gw') ?? Number.NaN
  const between = (sample: Sample) => sample.client - sample.provider
  const columns = [of(gw), of(gw, 0.99), of(({ client }) => client), of((sample) => sample.provider), of(between)]
  const stages = STAGES.map((stage) => of((sample) => sample.stages.get(stage) ?? 0)).map(ms)
  console.log(`${name.padEnd(12)}${String(samples.length).padStart(6)}${columns.map(ms).join('')}  |${stages.join('')}`)
}

try {
  const secrets = await createKeys()
  const gateway = await runGateway({ configPath, dataFolder })
  const { origin } = gateway
  const unknown = Array.from({ length: KEYS }, (_, at) => `sk-ar-v1-nobody-${at}`)
  console.log(
    `${executable ?? 'in process'}; ms; ${CANDIDATES} candidates over ${BACKENDS} backends, limits and budgets on\n`,
  )
  const head = ['gw p50', 'gw p99', 'client', 'provider', 'between'].map((title) => title.padStart(9)).join('')
  console.log(`${'lane'.padEnd(12)}${'n'.padStart(6)}${head}  |${STAGES.map((title) => title.padStart(9)).join('')}`)
  const [first = '', ...cold] = secrets
  await lane(origin, [first]) // what the process does for the first time, and the connections
  report('cold', await lane(origin, cold))
  report('warm', await lane(origin, Array.from({ length: WARM_ROUNDS }, () => secrets).flat()))
  report('bad key', await lane(origin, unknown, 401))
  if (REST_MS > 0) {
    await Bun.sleep(REST_MS)
    report('after rest', await lane(origin, secrets))
  }
  await gateway.stop()
} finally {
  provider.stop()
  rmSync(folder, { recursive: true, force: true })
}
