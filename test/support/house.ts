import { expect } from 'bun:test'
import { createStoredThings } from '../../src/accounts/index.ts'
import { buildCatalogue } from '../../src/catalogue/index.ts'
import {
  type Backend,
  type Funds,
  type KeyTerms,
  type LimitSettings,
  type MoneySettings,
  money,
  type Offer,
  type Price,
  parseUsd,
  type ReplySettings,
  type RoutingSettings,
  type TimeLimits,
} from '../../src/domain/index.ts'
import { createBytesPerToken } from '../../src/ledger/index.ts'
import { assert, createExpiryClock, type Random } from '../../src/lib/index.ts'
import { createTraffic, type House, type OpenTraffic, type PipelineSettings } from '../../src/pipeline/index.ts'
import { createContents, createRecords } from '../../src/records/index.ts'
import { createRequestMetrics } from '../../src/telemetry/index.ts'
import { hashKey } from '../../src/vault/index.ts'
import { type AgentDouble, createAgentDouble } from './agent-double.ts'
import { type FakeClock, fakeClock, settleMicrotasks } from './fake-clock.ts'
import { type HealthSpec, healthDouble } from './health-double.ts'
import { type LogLine, logDouble } from './log-double.ts'
import { payers } from './payers.ts'
import { createStoreDouble, type StoreDouble } from './store-double.ts'
import { testVault } from './vault.ts'

export const SECRET = 'sk-ar-v1-test-0123456789'
export const ACCOUNT = 'acc_test'
export const MODEL = 'acme/m'
/** Per token 1,000 nano-dollars of prompt, 4,000 of answer. */
export const PRICE: Price = { input: 1_000_000_000, output: 4_000_000_000 }

const TIME_LIMITS: TimeLimits = { connectMs: 5000, firstContentMs: 120_000, totalMs: 600_000, idleMs: 120_000 }

export interface BackendSpec {
  readonly slots?: number
  readonly price?: Price | null
  /** What its provider bills; nobody knows unless it is said. */
  readonly cost?: Price | null
  readonly outputTokensMax?: number | null
  readonly limits?: Partial<TimeLimits>
  readonly credential?: string | null
  /** Further credentials of its provider. */
  readonly spares?: readonly string[]
  readonly contextTokensMax?: number | null
  readonly enabled?: boolean
}

export interface HouseSpec extends HealthSpec {
  /** Backend id -> what differs from the usual; each has one offer of the one model, in this order. */
  readonly backends?: Readonly<Record<string, BackendSpec>>
  /** What the account has; null makes it unmetered. */
  readonly balanceUsd?: string | null
  readonly disabled?: boolean
  readonly models?: readonly string[]
  /** What the key may do, besides. */
  readonly terms?: Partial<KeyTerms>
  readonly routing?: Partial<RoutingSettings>
  readonly money?: Partial<MoneySettings>
  readonly limits?: Partial<LimitSettings>
  readonly replies?: Partial<ReplySettings>
  readonly settings?: Partial<Pick<PipelineSettings, 'bodyBytesMax' | 'uploadBytesMax' | 'loopbackOnlySecret'>>
  /** How many keys and accounts stay in memory, where it is not as many as usual. */
  readonly kept?: { readonly keys?: number; readonly accounts?: number }
}

/** All that the verbs work with, small and in the test's hand. Its disposal checks the invariants: see `expectAtRest`. */
export interface HouseDouble extends AsyncDisposable {
  readonly house: House
  readonly clock: FakeClock
  readonly store: StoreDouble
  readonly traffic: OpenTraffic
  readonly logs: readonly LogLine[]
  /** Answers the errors that were logged so far, and takes them for expected. */
  takeErrors(): LogLine[]
  /** Changes what `house.settings()` answers from now on. */
  change(spec: Pick<HouseSpec, 'routing' | 'money' | 'limits'>): void
  agent(backend: string): AgentDouble
  offers(): readonly Offer[]
  /** Of the account's live money, which must be open. */
  funds(): Funds
}

/** Makes a house with one account, one key (`SECRET`) and one model (`MODEL`). */
export function createHouseDouble(spec: HouseSpec = {}): HouseDouble {
  const clock = fakeClock()
  const store = createStoreDouble()
  const random = seededRandom()
  const traffic = createTraffic()
  const { log, logs, takeErrors } = logDouble()
  seedPayer(store, spec)
  const catalogue = buildCatalogue(partsOf(spec.backends ?? { north: {} }), { version: 1, createdAtS: 1_800_000_000 })
  const { writer } = store
  const expiries = createExpiryClock(clock, () => {})
  const { accounts, ledger } = payers(spec.kept ?? {}, {
    store,
    clock,
    expiries,
    random,
    log,
    vault: testVault(seededRandom()),
  })
  const { agents, agentOf } = agentDoubles()
  let settings = settingsOf(spec)
  const health = healthDouble(spec, { store, clock, random, log, backends: () => catalogue.backends })
  const house: House = {
    clock,
    expiries,
    random,
    log,
    accounts,
    ledger,
    stored: createStoredThings(store),
    records: createRecords({ writer }),
    contents: createContents({ writer, vault: testVault(seededRandom()) }),
    bytesPerToken: createBytesPerToken(),
    catalogue: () => catalogue,
    settings: () => settings,
    agents: {
      of: agentOf,
      update: () => {},
      stats: () => new Map([...agents].map(([id, agent]) => [id, agent.stats()])),
      close: () => {},
    },
    health,
    traffic,
    metrics: createRequestMetrics(),
  }
  const double: HouseDouble = {
    house,
    clock,
    store,
    traffic,
    logs,
    takeErrors,
    change({ routing, money, limits }) {
      settings = {
        ...settings,
        routing: { ...settings.routing, ...routing },
        money: { ...settings.money, ...money },
        limits: { ...settings.limits, ...limits },
      }
    },
    agent(id) {
      const backend = catalogue.backends.get(id)
      assert(backend !== undefined, `no backend ${id}`)
      return agentOf(backend)
    },
    offers: () => catalogue.models.get(MODEL)?.offers ?? [],
    funds: () => house.ledger.funds(ACCOUNT),
    [Symbol.asyncDispose]: () => expectAtRest(double),
  }
  return double
}

/** One for each backend that is asked for. */
function agentDoubles() {
  const agents = new Map<string, AgentDouble>()
  const agentOf = (backend: Backend): AgentDouble => {
    const agent = agents.get(backend.id) ?? createAgentDouble(backend)
    agents.set(backend.id, agent)
    return agent
  }
  return { agents, agentOf }
}

/** Nothing is in progress: no slot, hold, waiter, timer, body or request is left, the ledger is sound, no bug was logged. */
async function expectAtRest({ house, clock, store, traffic, takeErrors }: HouseDouble): Promise<void> {
  store.disk.heal()
  store.disk.letGo()
  store.readGate.letGo()
  await settleMicrotasks()
  const slots = [...house.agents.stats().values()]
  expect({
    slotsTaken: slots.reduce((sum, { slotsTaken }) => sum + slotsTaken, 0),
    inLine: slots.reduce((sum, { waiters }) => sum + waiters, 0),
    waiters: traffic.waiters,
    unknownBytes: traffic.unknownBytes,
    bodyBytes: traffic.bodies.bytes,
    inFlight: traffic.inFlight,
    timers: clock.timers,
    openHolds: house.ledger.stats().openHolds,
    admitted: house.accounts.limits.inProgress,
    errors: takeErrors(),
  }).toEqual({
    slotsTaken: 0,
    inLine: 0,
    waiters: 0,
    unknownBytes: 0,
    bodyBytes: 0,
    inFlight: 0,
    timers: 0,
    openHolds: 0,
    admitted: 0,
    errors: [],
  })
  expect(await store.reader.verify()).toMatchObject({ clean: true, openHolds: 0 })
}

/** Chance from a seed: the same in every run (mulberry32). */
export function seededRandom(seed = 1): Random {
  let state = seed
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return { fraction, bytes: (size) => Uint8Array.from({ length: size }, () => Math.floor(fraction() * 256)) }
}

function seedPayer(store: StoreDouble, { balanceUsd = '1.00', disabled = false, models, terms = {} }: HouseSpec): void {
  const kind = balanceUsd === null ? 'unmetered' : 'prepaid'
  const balance = parseUsd(balanceUsd ?? '0') ?? money(0)
  store.seedAccount({ id: ACCOUNT, kind, balance, disabled })
  const allowed = models === undefined ? {} : { models }
  store.seedKey({ id: 'key_test', accountId: ACCOUNT, hash: hashKey(SECRET), ...allowed, ...terms })
}

const REPLIES = { hideBackends: false, timingComment: false, noRetryAfterSend: true, repeatPlainTimeouts: false }

function settingsOf(spec: HouseSpec): PipelineSettings {
  return {
    routing: {
      sort: null,
      attemptsMax: 3,
      dialsMax: 6,
      clientStallMs: 60_000,
      heartbeatAfterMs: 0,
      queueMs: 5000,
      homeRegions: [],
      ...spec.routing,
    },
    money: {
      outputReserveTokens: 4096,
      outputCapTokens: 16_384,
      byokFeeBps: 0,
      beforeContent: 'prompt',
      crash: 'delivered',
      ...spec.money,
    },
    limits: { requestsInFlightMax: 100, waitersMax: 10, bodiesBytesMax: 16_000_000, ...spec.limits },
    replies: { ...REPLIES, ...spec.replies },
    uploadBytesMax: 4_000_000,
    bodyBytesMax: 1_000_000,
    loopbackOnlySecret: null,
    ...spec.settings,
  }
}

function partsOf(specs: Readonly<Record<string, BackendSpec>>) {
  const offers = Object.entries(specs).map(([id, spec]) => offerOf(id, spec))
  const common = { contextTokensMax: null, outputTokensMax: null, capabilities: [] }
  return {
    backends: new Map(offers.map(({ backend }) => [backend.id, backend])),
    models: new Map([[MODEL, { id: MODEL, ...common, offers }]]),
    aliases: new Map([['m', MODEL]]),
  }
}

function offerOf(id: string, spec: BackendSpec): Offer {
  const { slots = 2, price = PRICE, cost = null, outputTokensMax = 1000, contextTokensMax = null } = spec
  const limits = { ...TIME_LIMITS, ...spec.limits }
  const { credential = `sk-provider-${id}`, spares = [] } = spec
  const secrets = credential === null ? [] : [credential, ...spares]
  const credentials = secrets.map((secret, at) => ({ id: at === 0 ? `cred_${id}` : `cred_${id}_${at}`, secret }))
  const backend: Backend = {
    id,
    provider: { id: 'acme', ownership: null, data: null, dialects: ['openai'], credentials },
    baseUrl: `https://${id}.example/v1`,
    dialects: ['openai'],
    region: null,
    enabled: spec.enabled ?? true,
    slots,
    tls: { caPem: null, client: null },
    proxy: null,
    resend: 'stale',
    ping: { path: '/models', everyMs: null, withCredential: false },
    limits,
  }
  return {
    id: `${id}/${MODEL}`,
    backend,
    model: MODEL,
    providerModel: `${id}-m`,
    price,
    cost,
    contextTokensMax,
    outputTokensMax,
    enabled: true,
    limits,
  }
}
