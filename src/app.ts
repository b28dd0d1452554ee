import { join } from 'node:path'
import { createAccounts } from './accounts/index.ts'
import { createAgents } from './agents/index.ts'
import { buildCatalogue, usableBackends } from './catalogue/index.ts'
import type { Config } from './config/index.ts'
import type { CatalogueParts } from './domain/index.ts'
import { type AdminDeps, adminSocket, createAdmin, createPublicApp } from './http/index.ts'
import { closeLeaks } from './jobs/index.ts'
import { createBytesPerToken, createLedger } from './ledger/index.ts'
import { type Clock, delay, type Random } from './lib/index.ts'
import { createTraffic, type House, type OpenTraffic } from './pipeline/index.ts'
import { createRecords } from './records/index.ts'
import { frontPage, frontPageFacts } from './site/index.ts'
import { type FaultPanel, openStore, type Store, type VerifyReport } from './store/index.ts'
import type { Log } from './telemetry/index.ts'

export interface AppOptions {
  readonly dataFolder: string
  readonly config: Config
  /** What is served: the configuration's catalogue, or the demo's. */
  readonly parts: CatalogueParts
  readonly host: string
  readonly port: number
  readonly version: string
  readonly log: Log
  readonly clock: Clock
  readonly random: Random
  /** Who calls through the socket, for the audit. */
  readonly actor: string
  readonly loopbackOnlySecret: string | null
  /** The store can no longer be trusted: end the process, recovery at the next start is the way back. */
  readonly onFatal: (error: Error) => void
  /** Makes the store fail: tests only. */
  readonly faults?: FaultPanel
}

export interface App {
  /** The base URL of SDKs. */
  readonly baseUrl: string
  readonly origin: string
  readonly port: number
  readonly house: House
  readonly admin: AdminHandler
  /** Takes no new work, waits until what runs is settled, closes everything. `onProgress` is told how much is left. */
  drain(onProgress?: (inFlight: number) => void): Promise<DrainReport>
}

export interface AdminHandler {
  handle(request: Request): Promise<Response>
}

export interface DrainReport {
  /** Requests since the start, with their settlement on disk. */
  readonly settled: number
  readonly verify: VerifyReport
}

const SOCKET_NAME = 'admin.sock'
const LAST_BYTES_MS = 2000
const IDLE_LIMIT_S = 30

/** The composition root: builds every room once, joins them, starts to listen. Throws for a taken port, a locked folder, a broken database. */
export async function startApp(options: AppOptions): Promise<App> {
  const { clock, log, host, port } = options
  const store = await openStoreOf(options)
  const traffic = createTraffic()
  try {
    const house = buildHouse(options, store, traffic)
    const catalogue = house.catalogue()
    const readiness = () => readinessOf(store, traffic, usableBackends(catalogue).length)
    let baseUrl = ''
    const page = () =>
      frontPage(
        frontPageFacts({
          catalogue,
          baseUrl,
          version: options.version,
          ready: readiness().ready,
          isUp: (backend) => backend.enabled,
        }),
      )
    const publicApp = createPublicApp({ house, readiness, frontPage: page })
    publicApp.listen({
      hostname: host,
      port,
      reusePort: false,
      idleTimeout: IDLE_LIMIT_S,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      development: false, // else Bun prints every stream that is broken off on purpose
    })
    const server = publicApp.server
    if (server === null) throw new Error('the server did not start')
    const origin = `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`
    baseUrl = `${origin}/v1`

    const admin = createAdmin(adminDeps(options, store, house))
    const socket = adminSocket(join(options.dataFolder, SOCKET_NAME), admin)
    const stopLeaks = closeLeaks({ clock, log, ledger: house.ledger, traffic })
    log.info('listening', {
      origin,
      epoch: store.recovery.epoch,
      recovered: store.recovery.settled,
      voided: store.recovery.voided,
    })

    return {
      baseUrl,
      origin,
      port: server.port ?? port,
      house,
      admin,
      async drain(onProgress) {
        traffic.beginDrain()
        await settleAll({ clock, traffic, store, ledger: house.ledger }, onProgress)
        await Promise.race([server.stop(), delay(clock, LAST_BYTES_MS)])
        await server.stop(true)
        stopLeaks()
        house.agents.close()
        const verify = await store.reader.verify()
        socket.stop()
        await store.close()
        return { settled: traffic.settled, verify: withUnsettled(verify, traffic.inFlight) }
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

export interface OfflineOptions extends Omit<AppOptions, 'host' | 'port' | 'loopbackOnlySecret' | 'onFatal'> {}

/** The admin interface over the data folder itself, when no server runs: holds the folder's lock until closed. */
export async function openOffline(options: OfflineOptions): Promise<{ admin: AdminHandler; close(): Promise<void> }> {
  const whole = { ...options, loopbackOnlySecret: null, onFatal: rethrow }
  const store = await openStoreOf(whole)
  try {
    const house = buildHouse(whole, store, createTraffic())
    return { admin: createAdmin(adminDeps(options, store, house)), close: () => store.close() }
  } catch (error) {
    await store.close()
    throw error
  }
}

type HouseOptions = Omit<AppOptions, 'host' | 'port'>

const openStoreOf = ({ dataFolder, config, clock, log, onFatal, faults }: HouseOptions): Promise<Store> =>
  openStore({ dataFolder, money: config.money, clock, log, onFatal, ...(faults === undefined ? {} : { faults }) })

function buildHouse(options: HouseOptions, store: Store, traffic: OpenTraffic): House {
  const { config, clock, random, log } = options
  const catalogue = buildCatalogue(options.parts, { version: 1, createdAtS: Math.floor(clock.wallMs() / 1000) })
  const settings = {
    routing: config.routing,
    money: config.money,
    limits: config.limits,
    bodyBytesMax: config.server.bodyBytesMax,
    loopbackOnlySecret: options.loopbackOnlySecret,
  }
  const accounts = createAccounts({ reads: store.reads, writer: store.writer, clock, random })
  return {
    clock,
    random,
    log,
    accounts,
    ledger: createLedger({ writer: store.writer, clock, log, onEvict: (accountId) => accounts.rows.drop(accountId) }),
    records: createRecords({ writer: store.writer }),
    bytesPerToken: createBytesPerToken(),
    catalogue: () => catalogue,
    settings: () => settings,
    agents: createAgents({ settings: config.agents, clock }),
    traffic,
  }
}

function adminDeps({ clock, random, actor, version, log }: AdminSource, store: Store, house: House): AdminDeps {
  const { accounts, ledger, catalogue, traffic, agents } = house
  return {
    store,
    accounts,
    ledger,
    catalogue,
    agentStats: () => agents.stats(),
    traffic,
    clock,
    random,
    actor,
    version,
    log,
  }
}

type AdminSource = Pick<AppOptions, 'clock' | 'random' | 'actor' | 'version' | 'log'>

function readinessOf(store: Store, traffic: OpenTraffic, backends: number): { ready: boolean; reason: string | null } {
  if (traffic.draining) return { ready: false, reason: 'draining' }
  if (!store.writer.accepting()) return { ready: false, reason: 'the ledger cannot be written' }
  if (backends === 0) return { ready: false, reason: 'no backend is configured and enabled' }
  return { ready: true, reason: null }
}

const PROGRESS_MS = 1000
const UNWRITABLE_TIMES_MAX = 5

interface Settling {
  readonly clock: Clock
  readonly traffic: OpenTraffic
  readonly store: Store
  readonly ledger: House['ledger']
}

/**
 * Waits until all that runs is settled, or until nothing but the disk is waited for and it has taken nothing for 5 s: recovery at the
 * next start closes those holds.
 */
function settleAll(
  { clock, traffic, store, ledger }: Settling,
  onProgress?: (inFlight: number) => void,
): Promise<void> {
  if (traffic.inFlight > 0) onProgress?.(traffic.inFlight)
  let unwritable = 0
  return new Promise((resolve) => {
    const cancel = clock.every(PROGRESS_MS, () => {
      onProgress?.(traffic.inFlight)
      unwritable = store.writer.accepting() || ledger.stats().openHolds > 0 ? 0 : unwritable + 1
      if (unwritable >= UNWRITABLE_TIMES_MAX) finish()
    })
    const finish = (): void => {
      cancel()
      resolve()
    }
    void traffic.whenIdle().then(finish)
  })
}

function withUnsettled(verify: VerifyReport, left: number): VerifyReport {
  if (left === 0) return verify
  const fault = `settlements that the disk did not take: ${left}; the next start closes their holds`
  return { ...verify, clean: false, faults: [...verify.faults, fault] }
}

function rethrow(error: Error): never {
  throw error
}
