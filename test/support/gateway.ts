import { expect } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { base62, systemRandom } from '../../src/lib/index.ts'
import type { FaultPanel } from '../../src/store/index.ts'
import { type AdminCall, adminOf, checkAtRest, runGateway } from './run-gateway.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** One backend of a model, and where it is. */
export interface OfferSpec {
  /** The backend's id; `b0`, `b1`, … when it has none. */
  readonly id?: string
  readonly provider: { readonly origin: string }
  /** USD per million; null: no price. */
  readonly price?: PriceSpec | null
  /** Settings of the backend, as in YAML. */
  readonly backend?: Readonly<Record<string, unknown>>
  /** The provider that the backend belongs to, with its fields as in YAML; `mock` when it has none. */
  readonly of?: { readonly id: string } & Readonly<Record<string, unknown>>
  /** Fields of the offer, as in YAML. */
  readonly offer?: Readonly<Record<string, unknown>>
}

interface PriceSpec {
  readonly input: string
  readonly output: string
  readonly cached_input?: string
  readonly per_request?: string
  readonly per_image?: string
  readonly per_search?: string
  readonly per_audio_hour?: string
  readonly input_audio?: string
  readonly input_image?: string
  readonly per_million_characters?: string
  readonly tiers?: readonly { readonly from_tokens: number; readonly input: string; readonly output: string }[]
}

export interface GatewaySpec {
  /** Model id -> its backends, in order: backend ids are `b0`, `b1`, … over all models. */
  readonly offers: Readonly<Record<string, readonly OfferSpec[]>>
  /** What the account has; null makes it unmetered. */
  readonly balanceUsd?: string | null
  /** Further sections of the configuration, as in YAML. */
  readonly yaml?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Secrets of the provider's credentials, in order; one when left out. */
  readonly credentials?: readonly string[]
  /** Fields of each model, as in YAML. */
  readonly model?: Readonly<Record<string, unknown>>
  /** Makes the store fail; in this process only. */
  readonly faults?: FaultPanel
}

/** What a configuration says; the rest of a `GatewaySpec` is of one start. */
export type ConfigSpec = Pick<GatewaySpec, 'offers' | 'yaml' | 'model'>

/** A gateway under test: in this process, or the compiled executable when ANYROUTER_EXE names one. */
export interface TestGateway extends AsyncDisposable {
  readonly origin: string
  readonly baseUrl: string
  readonly key: string
  readonly account: string
  readonly dataFolder: string
  readonly configPath: string
  /** Of the executable; null in this process. */
  readonly pid: number | null
  readonly admin: AdminCall
  /** Writes its configuration anew; a text is written as it is. Nothing is told to the gateway. */
  configure(spec: ConfigSpec | string): void
  /** What it shows to providers. Nothing is told to the gateway. */
  changeSecret(secret: string): void
  /** All log lines so far. */
  logs(): string
  /** Ends the executable at once, without clean-up, and starts it again on the same data. Executable only. */
  killAndRestart(): Promise<void>
  /** Ends the executable at once, for good. Executable only. */
  kill(): Promise<void>
  /** Ends it as an operator does, and starts it again on the same data: on another port. `meanwhile`: done when it is over. */
  restart(meanwhile?: () => void): Promise<void>
  /** Ends it as an operator does. Answers its exit code. */
  stop(): Promise<void>
  /** At disposal neither the ledger nor the slots are checked: the test has broken them on purpose. */
  expectBroken(): void
}

const PRICE = { input: '4', cached_input: '1', output: '10' }
const MODEL = { context: 128_000, output_max: 4096 }
const PROVIDER_SECRET = 'sk-provider-canary-0123456789'

/** Starts a gateway on an empty data folder with one account and one key. Every disposal checks: ledger verified, no open hold, no slot taken. */
export async function startGateway(spec: GatewaySpec): Promise<TestGateway> {
  await using undo = new AsyncDisposableStack() // what a start that fails has begun
  const folder = undo.use(temporaryFolder())
  const dataFolder = folder.at('data')
  const { configPath, configure, changeSecret } = writtenFiles(folder, spec)
  const { faults } = spec
  const start = () => runGateway({ configPath, dataFolder, ...(faults === undefined ? {} : { faults }) })
  let running = await start()
  undo.defer(() => running.stop())
  let broken = false
  let stopped = false

  const admin = adminOf(dataFolder)
  const { account, key } = await createAccount(admin, spec.balanceUsd === undefined ? '1.00' : spec.balanceUsd)

  const stop = async (): Promise<void> => {
    if (stopped) return
    stopped = true
    if (!broken) await checkAtRest(admin)
    await running.stop()
  }
  undo.move()
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
    configPath,
    get pid() {
      return running.pid
    },
    admin,
    configure,
    changeSecret,
    logs: () => running.logs(),
    async restart(meanwhile) {
      await running.stop()
      meanwhile?.()
      running = await start()
    },
    async killAndRestart() {
      await running.kill()
      running = await start()
    },
    async kill() {
      stopped = true
      await running.kill()
    },
    stop,
    expectBroken() {
      broken = true
    },
    async [Symbol.asyncDispose]() {
      try {
        await stop()
      } finally {
        folder[Symbol.dispose]()
      }
    },
  }
}

/** The configuration, and the secrets that it names. */
function writtenFiles(folder: { at(name: string): string }, spec: GatewaySpec) {
  const configPath = folder.at('anyrouter.yaml')
  const secretFile = (at: number): string => folder.at(`secret-${at}`)
  const changeSecret = (secret: string, at = 0): void => writeFileSync(secretFile(at), secret)
  const secrets = spec.credentials ?? [PROVIDER_SECRET]
  for (const [at, secret] of secrets.entries()) changeSecret(secret, at)
  const files = secrets.map((_, at) => secretFile(at))
  const configure = (wanted: ConfigSpec | string): void =>
    writeFileSync(configPath, typeof wanted === 'string' ? wanted : stringify(configurationOf(wanted, files)))
  configure(spec)
  return { configPath, configure, changeSecret }
}

/** The key as a test sends it. */
export const bearer = (gateway: { readonly key: string }): Record<string, string> => ({
  authorization: `Bearer ${gateway.key}`,
})

function configurationOf(spec: ConfigSpec, secretFiles: readonly string[]): unknown {
  const credentials = secretFiles.map((file, at) => ({ id: at === 0 ? 'main' : `spare${at}`, file }))
  const providers: Record<string, ProviderFields> = {}
  const ids = new Set<string>()
  const models: Record<string, unknown> = {}
  for (const [model, offers] of Object.entries(spec.offers)) {
    const listed = offers.map(({ provider, price = PRICE, backend = {}, offer = {}, of = { id: 'mock' }, id }) => {
      const name = id ?? `b${ids.size}`
      ids.add(name)
      const { id: owner, ...fields } = of
      const its = providers[owner] ?? { credentials, ...fields, backends: {} }
      providers[owner] = its
      its.backends[name] = { url: `${provider.origin}/v1`, ...backend }
      return { ...offer, backend: name, as: `provider-${model}`, ...(price === null ? {} : { price }) }
    })
    models[model] = { ...MODEL, ...spec.model, offers: listed }
  }
  return { ...spec.yaml, providers, models }
}

interface ProviderFields {
  readonly credentials: readonly object[]
  readonly backends: Record<string, unknown>
}

async function createAccount(admin: AdminCall, balanceUsd: string | null): Promise<{ account: string; key: string }> {
  const kind = balanceUsd === null ? 'unmetered' : 'prepaid'
  const account = await admin('POST', '/accounts', { name: 'test', kind })
  expect(account.status).toBe(201)
  if (balanceUsd !== null)
    expect((await admin('POST', '/credits', { account: 'test', usd: balanceUsd, kind: 'top_up' })).status).toBe(201)
  const key = await admin('POST', '/keys', { account: 'test', name: 'test' })
  expect(key.status).toBe(201)
  return { account: account.body.id, key: key.body.secret }
}

/** A secret in the shape of ours that no account has. */
export const unknownKey = (): string => `sk-ar-v1-${base62(43, systemRandom())}`
