import { expect } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { stringify } from 'yaml'
import { type App, startApp } from '../../src/app.ts'
import { loadConfig, systemSurroundings } from '../../src/config/index.ts'
import { base62, systemClock, systemRandom } from '../../src/lib/index.ts'
import { createLog, type LogDestination } from '../../src/telemetry/index.ts'

/** One backend of a model, and where it is. */
export interface OfferSpec {
  readonly provider: { readonly origin: string }
  /** USD per million; null: no price. */
  readonly price?: { readonly input: string; readonly output: string; readonly cached_input?: string } | null
  /** Settings of the backend, as in YAML. */
  readonly backend?: Readonly<Record<string, unknown>>
}

export interface GatewaySpec {
  /** Model id -> its backends, in order: backend ids are `b0`, `b1`, … over all models. */
  readonly offers: Readonly<Record<string, readonly OfferSpec[]>>
  /** What the account has; null makes it unmetered. */
  readonly balanceUsd?: string | null
  /** Further sections of the configuration, as in YAML. */
  readonly yaml?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Fields of each model, as in YAML. */
  readonly model?: Readonly<Record<string, unknown>>
}

export interface AdminAnswer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the body of an admin answer is judged by the test
  readonly body: any
}

/** A gateway under test: in this process, or the compiled executable when ANYROUTER_EXE names one. */
export interface TestGateway extends AsyncDisposable {
  readonly origin: string
  readonly baseUrl: string
  readonly key: string
  readonly account: string
  readonly dataFolder: string
  admin(method: string, path: string, body?: unknown): Promise<AdminAnswer>
  /** All log lines so far. */
  logs(): string
  /** Ends the executable at once, without clean-up, and starts it again on the same data. Executable only. */
  killAndRestart(): Promise<void>
  /** Ends it as an operator does. Answers its exit code. */
  stop(): Promise<void>
  /** At disposal neither the ledger nor the slots are checked: the test has broken them on purpose. */
  expectBroken(): void
}

const PRICE = { input: '4', cached_input: '1', output: '10' }
const MODEL = { context: 128_000, output_max: 4096 }
const PROVIDER_SECRET = 'sk-provider-canary-0123456789'

interface Running {
  readonly origin: string
  logs(): string
  stop(): Promise<void>
  kill(): Promise<void>
}

/** Whether tests run against the compiled executable. */
export const executable = process.env.ANYROUTER_EXE ? resolve(process.env.ANYROUTER_EXE) : null

/** Starts a gateway on an empty data folder with one account and one key. Every disposal checks: ledger verified, no open hold, no slot taken. */
export async function startGateway(spec: GatewaySpec): Promise<TestGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'anyrouter-wire-'))
  const dataFolder = join(folder, 'data')
  const configPath = join(folder, 'anyrouter.yaml')
  writeFileSync(join(folder, 'secret'), PROVIDER_SECRET)
  writeFileSync(configPath, stringify(configurationOf(spec, join(folder, 'secret'))))
  const start = () =>
    executable === null ? startInside(configPath, dataFolder) : startExecutable(executable, configPath, dataFolder)
  let running = await start()
  let broken = false
  let stopped = false

  const admin = async (method: string, path: string, body?: unknown): Promise<AdminAnswer> => {
    const response = await fetch(`http://admin/admin/v1${path}`, {
      method,
      unix: join(dataFolder, 'admin.sock'),
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    return { status: response.status, body: await response.json() }
  }
  const { account, key } = await createAccount(admin, spec.balanceUsd === undefined ? '1.00' : spec.balanceUsd)

  const stop = async (): Promise<void> => {
    if (stopped) return
    stopped = true
    if (!broken) await checkAtRest(admin)
    await running.stop()
  }
  return {
    get origin() {
      return running.origin
    },
    get baseUrl() {
      return `${running.origin}/v1`
    },
    key,
    account,
    dataFolder,
    admin,
    logs: () => running.logs(),
    async killAndRestart() {
      await running.kill()
      running = await start()
    },
    stop,
    expectBroken() {
      broken = true
    },
    async [Symbol.asyncDispose]() {
      try {
        await stop()
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  }
}

/** The key as a test sends it. */
export const bearer = (gateway: { readonly key: string }): Record<string, string> => ({
  authorization: `Bearer ${gateway.key}`,
})

function configurationOf(spec: GatewaySpec, secretFile: string): unknown {
  const backends: Record<string, unknown> = {}
  const models: Record<string, unknown> = {}
  for (const [id, offers] of Object.entries(spec.offers)) {
    const listed = offers.map(({ provider, price = PRICE, backend = {} }) => {
      const name = `b${Object.keys(backends).length}`
      backends[name] = { url: `${provider.origin}/v1`, ...backend }
      return { backend: name, as: `provider-${id}`, ...(price === null ? {} : { price }) }
    })
    models[id] = { ...MODEL, ...spec.model, offers: listed }
  }
  return { ...spec.yaml, providers: { mock: { credentials: [{ id: 'main', file: secretFile }], backends } }, models }
}

async function createAccount(
  admin: TestGateway['admin'],
  balanceUsd: string | null,
): Promise<{ account: string; key: string }> {
  const kind = balanceUsd === null ? 'unmetered' : 'prepaid'
  const account = await admin('POST', '/accounts', { name: 'test', kind })
  expect(account.status).toBe(201)
  if (balanceUsd !== null)
    expect((await admin('POST', '/credits', { account: 'test', usd: balanceUsd, kind: 'top_up' })).status).toBe(201)
  const key = await admin('POST', '/keys', { account: 'test', name: 'test' })
  expect(key.status).toBe(201)
  return { account: account.body.id, key: key.body.secret }
}

const AT_REST_MS = 5000

/** Waits until nothing is in progress, then checks what must hold at rest. */
async function checkAtRest(admin: TestGateway['admin']): Promise<void> {
  const endMs = performance.now() + AT_REST_MS
  let slots = (await admin('GET', '/slots')).body
  while (slots.in_flight > 0 && performance.now() < endMs) {
    await new Promise((turn) => setImmediate(turn))
    slots = (await admin('GET', '/slots')).body
  }
  expect(slots.in_flight).toBe(0)
  expect(slots.waiters).toBe(0)
  for (const backend of slots.data) {
    expect(backend.slots_taken).toBe(0)
    expect(backend.connections_open).toBe(backend.connections_idle)
  }
  const verify = await admin('POST', '/ledger/verify')
  expect(verify.body).toMatchObject({ clean: true, faults: [], open_holds: 0 })
}

async function startInside(configPath: string, dataFolder: string): Promise<Running> {
  const loaded = await loadConfig(configPath, systemSurroundings())
  if (loaded.kind === 'problems') throw new Error(JSON.stringify(loaded.problems, null, 1))
  const clock = systemClock()
  const lines: string[] = []
  const destination: LogDestination = {
    write: (line) => void lines.push(line),
    flush: () => Promise.resolve(),
    flushSync: () => {},
    droppedLines: 0,
  }
  const log = createLog({ destination, level: 'info', clock })
  const app: App = await startApp({
    dataFolder,
    config: loaded.config,
    parts: loaded.config.catalogue,
    host: '127.0.0.1',
    port: 0,
    version: 'test',
    log,
    clock,
    random: systemRandom(),
    actor: 'test',
    loopbackOnlySecret: null,
    onFatal: (error) => {
      throw error
    },
  })
  return {
    origin: app.origin,
    logs: () => lines.join(''),
    async stop() {
      await app.drain()
    },
    kill() {
      throw new Error('only the executable can be killed: set ANYROUTER_EXE')
    },
  }
}

async function startExecutable(path: string, configPath: string, dataFolder: string): Promise<Running> {
  if (!existsSync(path)) throw new Error(`no executable at ${path}`)
  const child = Bun.spawn([path, 'serve', '--config', configPath, '--data', dataFolder, '--port', '0', '--announce'], {
    env: {},
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let logged = ''
  const reading = (async () => {
    for await (const bytes of child.stderr) logged += new TextDecoder().decode(bytes)
  })()
  const reader = child.stdout.getReader()
  let said = ''
  while (!said.includes('\n')) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`the executable ended before it listened: ${await child.exited} ${said}${logged}`)
    said += new TextDecoder().decode(value)
  }
  const { port } = JSON.parse(said.slice(0, said.indexOf('\n')))
  return {
    origin: `http://127.0.0.1:${port}`,
    logs: () => logged,
    async stop() {
      child.kill('SIGTERM')
      const code = await child.exited
      await reading
      expect(code).toBe(0)
    },
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** A secret in the shape of ours that no account has. */
export const unknownKey = (): string => `sk-ar-v1-${base62(43, systemRandom())}`
