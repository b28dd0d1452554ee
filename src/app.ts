import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { adminDeps } from './app/admin-deps.ts'
import { listen } from './app/listen.ts'
import { metricsText } from './app/metrics-text.ts'
import { openRooms, type Rooms } from './app/open-rooms.ts'
import type { AdminHandler, AppOptions, Prepared } from './app/options.ts'
import { type EndReport, provenInTime } from './app/proven-in-time.ts'
import { createReload } from './app/reload.ts'
import { settleAll, withUnsettled } from './app/settle-all.ts'
import { startJobs } from './app/start-jobs.ts'
import { adminSocket, createAdmin, listenForMetrics, probePort } from './http/index.ts'
import { delay } from './lib/index.ts'
import type { Recovery } from './store/index.ts'

export type { AppOptions, Prepared } from './app/options.ts'

export interface App extends Prepared {
  /** The base URL of SDKs. */
  readonly baseUrl: string
  readonly origin: string
  readonly port: number
  /** Takes no new work, waits until what runs is settled, closes everything. `onProgress` is told how much is left. */
  drain(onProgress?: (inFlight: number) => void): Promise<DrainReport>
}

export interface DrainReport {
  /** Requests since the start, with their settlement on disk. */
  readonly settled: number
  readonly verify: EndReport
}

/** Where a server listens for commands, in its data folder. */
export const ADMIN_SOCKET = 'admin.sock'
const LAST_BYTES_MS = 2000

/** The composition root: builds every room once, joins them, starts to listen. Throws for a taken port, a locked folder, a broken database. */
export async function startApp(options: AppOptions): Promise<App> {
  const { clock, log, dataFolder } = options
  if (isUnused(dataFolder)) await probePorts(options) // a taken port leaves no half-made folder behind
  const rooms = await openRooms(options)
  const { store, traffic, live, house } = rooms
  try {
    house.agents.update(house.catalogue(), options.config.agents)
    const reload = createReload({ ...options, live, agents: house.agents, health: house.health })
    const admin = createAdmin(adminDeps(options, rooms, reload))
    await options.prepare?.({ house, admin })
    const metrics = metricsText(rooms, clock, options.version)
    const { origin, baseUrl, port, metricsAddress, stop } = listen(options, rooms, admin, metrics)
    const socket = adminSocket(join(dataFolder, ADMIN_SOCKET), admin)
    const stopJobs = startJobs(options, rooms)
    log.info('listening', {
      origin,
      metrics: metricsAddress,
      epoch: store.recovery.epoch,
      recovered: store.recovery.settled,
      voided: store.recovery.voided,
    })
    return {
      baseUrl,
      origin,
      port,
      house,
      admin,
      async drain(onProgress) {
        traffic.beginDrain()
        const { drainMs } = live.newest().config.server
        await settleAll({ clock, traffic, writer: store.writer, ledger: house.ledger, drainMs }, onProgress)
        await Promise.race([stop(), delay(clock, LAST_BYTES_MS)])
        await stop(true)
        stopJobs()
        metrics.stop()
        house.agents.close()
        const verify = await provenInTime({ reader: store.reader, ledger: house.ledger, clock })
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

async function probePorts({ host, port, config: { metrics } }: AppOptions): Promise<void> {
  await probePort(host, port)
  if (metrics.listen !== null) await listenForMetrics(metrics.listen, () => '').stop()
}

/** What cannot be read is told when it is opened. */
function isUnused(folder: string): boolean {
  try {
    return !existsSync(folder) || readdirSync(folder).length === 0
  } catch {
    return false
  }
}

export interface OfflineOptions
  extends Omit<AppOptions, 'host' | 'port' | 'readConfig' | 'loopbackOnlySecret' | 'onFatal' | 'prepare'> {}

/** The admin interface over a data folder itself. */
export interface Offline {
  readonly admin: AdminHandler
  /** What became of the open holds of a process that died. */
  readonly recovery: Recovery
  close(): Promise<void>
}

/**
 * Opens a data folder when no server runs: holds its lock until closed. Holds of a process that died end as the configuration says;
 * without a file, as that process was told.
 */
export async function openOffline(options: OfflineOptions): Promise<Offline> {
  const whole = { ...options, loopbackOnlySecret: null, onFatal: rethrow }
  const rooms = await openRooms(whole, options.configPath() === null ? null : options.config.money.crash)
  const { store } = rooms
  return {
    admin: createAdmin(adminDeps(options, rooms, null)),
    recovery: store.recovery,
    close: () => closeOffline(rooms),
  }
}

function closeOffline({ store, house }: Rooms): Promise<void> {
  house.agents.close()
  return store.close()
}

function rethrow(error: Error): never {
  throw error
}
