import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import { formatUsd, money } from '../../src/domain/index.ts'
import {
  type AdminCall,
  adminOf,
  ConfigRefused,
  checkAtRest,
  executable,
  type RunningGateway,
  runGateway,
} from '../support/run-gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import {
  type Adapter,
  type BackendSpec,
  type BackendState,
  type Charge,
  type LedgerView,
  type ModelSpec,
  SELF_KEY,
  StartRefused,
  type World,
  type WorldSpec,
} from './harness/adapter.ts'

const NANO_PER_MICRO = 1000
const BODY_BYTES_MAX = 32 * 1024 * 1024 // the default
const SLOTS = 10_000 // cases know of no such limit
const DEFAULT_COOLDOWN_MS = 15_000
const PAGE = 200 // the most that is answered at once
const PAGE_BYTES = 4096
const MIB = 1024 * 1024

/** Runs the cases against anyrouter: in this process, or the executable that ANYROUTER_EXE names. */
export const adapter: Adapter = {
  name: executable === null ? 'anyrouter, in this process' : 'anyrouter, the executable',
  supports: (hook) => hook === 'restart' || (hook === 'kill9' && executable !== null),
  async start(spec) {
    const world = new CaseWorld(spec)
    try {
      await world.start()
    } catch (error) {
      world.remove()
      throw error instanceof ConfigRefused ? new StartRefused(error.message) : error
    }
    return world
  },
}

/** One gateway with its folder, its account and its keys. */
class CaseWorld implements World {
  readonly origin: string
  readonly cooldownMs: number
  readonly bodyLimitBytes = BODY_BYTES_MAX
  keys: { main: string; revoked?: string } = { main: '' }
  /** Of the executable alone: in this process the harness's own memory would be counted. */
  readonly rssMib?: () => Promise<number>
  readonly #spec: WorldSpec
  readonly #folder = temporaryFolder()
  readonly #dataFolder = this.#folder.at('data')
  readonly #configPath = this.#folder.at('anyrouter.yaml')
  readonly #admin: AdminCall = adminOf(this.#dataFolder)
  #running: RunningGateway | null = null
  #account = ''

  constructor(spec: WorldSpec) {
    this.#spec = spec
    this.origin = `http://127.0.0.1:${spec.port}`
    this.cooldownMs = spec.cooldownMs ?? DEFAULT_COOLDOWN_MS
    if (executable !== null) this.rssMib = () => memoryMib(this.#running?.pid ?? null)
  }

  async start(): Promise<void> {
    const { backends } = this.#spec
    writeFileSync(this.#configPath, stringify(configurationOf(this.#spec, (id) => this.#secretFile(id))))
    for (const { id, key } of backends) this.#writeSecret(id, key === SELF_KEY ? 'not known yet' : key)
    const running = await this.#run()
    await this.#createAccount()
    const selves = backends.filter(({ key }) => key === SELF_KEY)
    if (selves.length === 0) return
    for (const { id } of selves) this.#writeSecret(id, this.keys.main)
    await running.stop()
    await this.#run()
  }

  async alive(): Promise<boolean> {
    return this.#running?.isAlive() ?? false
  }

  /** Every world must be at rest when its case is over, whatever the case looked at. */
  async stop(): Promise<void> {
    const running = this.#running
    this.#running = null
    try {
      if (running === null) return
      await checkAtRest(this.#admin)
      await running.stop()
    } finally {
      this.remove()
    }
  }

  remove(): void {
    this.#folder[Symbol.dispose]()
  }

  async ledger(): Promise<LedgerView> {
    const account = await this.#get(`/accounts/${this.#account}`)
    const open = (await this.#get(`/ledger/holds?account=${this.#account}`)).data
    const ended = (await this.#settlements()).reverse()
    return {
      balanceMicro: micro(account.available_nano),
      charges: ended.filter((row) => row.end === 'settled').map(chargeOf),
      openHolds: open.length,
      holdsMicro: [
        ...ended.map(({ held_nano }) => micro(held_nano)),
        ...open.map(({ amount_nano }: { amount_nano: number }) => micro(amount_nano)),
      ],
    }
  }

  async backendState(id: string): Promise<BackendState> {
    const { health, quarantine } = await this.#get(`/backends/${id}`)
    const leftMs = quarantine === null || quarantine.until_ms === null ? null : quarantine.until_ms - Date.now()
    return {
      state: health === 'in' ? 'healthy' : 'quarantined',
      quarantineSeconds: leftMs === null ? null : leftMs / 1000,
    }
  }

  async inflight(): Promise<number> {
    const slots = await this.#get('/slots')
    return slots.data.reduce((sum: number, backend: { slots_taken: number }) => sum + backend.slots_taken, 0)
  }

  async logs(): Promise<string> {
    return this.#running?.logs() ?? ''
  }

  async restart(kill9: boolean): Promise<void> {
    const running = this.#running
    this.#running = null
    if (kill9) await running?.kill()
    else await running?.stop()
    await this.#run()
  }

  async #run(): Promise<RunningGateway> {
    const { port } = this.#spec
    this.#running = await runGateway({ configPath: this.#configPath, dataFolder: this.#dataFolder, port })
    return this.#running
  }

  async #createAccount(): Promise<void> {
    const { account, keys, limits } = this.#spec
    const { rpm, tpm, concurrency } = limits
    const terms = { requests_per_minute: rpm, tokens_per_minute: tpm, concurrency } // those that are absent are left out
    const name = account.id
    this.#account = (await this.#post('/accounts', { name, kind: 'prepaid' })).id
    const usd = formatUsd(money(account.balanceMicro * NANO_PER_MICRO))
    await this.#post('/credits', { account: name, usd, kind: 'top_up' })
    for (const key of keys) {
      const { id, secret } = await this.#post('/keys', { account: name, name: key, ...terms })
      this.keys[key] = secret
      if (key === 'revoked') await this.#post(`/keys/${id}/revoke`)
    }
  }

  #secretFile(backend: string): string {
    return this.#folder.at(`credential-${backend}`)
  }

  #writeSecret(backend: string, secret: string): void {
    writeFileSync(this.#secretFile(backend), secret.replaceAll(' ', '-'))
  }

  /** All of the account, newest first. */
  async #settlements(): Promise<SettlementJson[]> {
    const rows: SettlementJson[] = []
    for (let after = ''; ; ) {
      const page = await this.#get(`/ledger/settlements?account=${this.#account}&limit=${PAGE}${after}`)
      rows.push(...page.data)
      if (page.next === null) return rows
      after = `&after=${page.next}`
    }
  }

  async #get(path: string) {
    return judged(await this.#admin('GET', path), path)
  }

  async #post(path: string, body?: unknown) {
    return judged(await this.#admin('POST', path, body), path)
  }
}

function judged({ status, body }: Awaited<ReturnType<AdminCall>>, path: string) {
  if (status >= 300) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`)
  return body
}

async function memoryMib(pid: number | null): Promise<number> {
  if (pid === null) throw new Error('the gateway does not run')
  const pages = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')[1]
  return (Number(pages) * PAGE_BYTES) / MIB
}

interface SettlementJson {
  readonly end: 'settled' | 'voided'
  readonly charged_nano: number
  readonly held_nano: number
  readonly usage_source: 'reported' | 'estimate' | 'recovered' | null
}

const micro = (nano: number): number => nano / NANO_PER_MICRO

function chargeOf({ charged_nano, usage_source }: SettlementJson): Charge {
  return { amountMicro: micro(charged_nano), usageSource: usage_source === 'reported' ? 'upstream' : 'estimate' }
}

/** The configuration as an operator would write it. */
function configurationOf(spec: WorldSpec, secretFile: (backend: string) => string): unknown {
  const { defaultMaxOutputTokens: tokens } = spec
  return {
    ...(spec.cors ? { server: { cors: '*' } } : {}),
    agents: { slots: SLOTS },
    // Cases count what reaches a provider, and theirs play the same to whatever comes.
    quarantine: { probe: false, ...(spec.cooldownMs === undefined ? {} : { cooldown_ms: spec.cooldownMs }) },
    money: { output_reserve_tokens: tokens, output_cap_tokens: tokens },
    providers: Object.fromEntries(spec.backends.map((backend) => [backend.id, providerOf(backend, spec, secretFile)])),
    models: Object.fromEntries(spec.models.map((model) => [model.id, modelOf(model)])),
  }
}

function providerOf({ id, baseUrl }: BackendSpec, { timeouts }: WorldSpec, secretFile: (backend: string) => string) {
  const limits = {
    ...(timeouts.firstByteMs === undefined ? {} : { first_content_ms: timeouts.firstByteMs }),
    ...(timeouts.idleMs === undefined ? {} : { idle_ms: timeouts.idleMs }),
  }
  return {
    credentials: [{ id: 'main', file: secretFile(id) }],
    backends: { [id]: { url: baseUrl, ...limits } },
  }
}

/** A micro-credit is a millionth of a dollar: so many of them per token are as many dollars per million tokens. */
function modelOf({ targets, price }: ModelSpec) {
  const prices =
    price === null
      ? {}
      : { price: { input: String(price.in), cached_input: String(price.cached), output: String(price.out) } }
  return { offers: targets.map(({ backend, upstreamModel }) => ({ backend, as: upstreamModel, ...prices })) }
}
