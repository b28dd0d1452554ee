import { resolve } from 'node:path'
import { type App, type AppOptions, startApp } from '../app.ts'
import { type Config, loadConfig, type PresetState } from '../config/index.ts'
import { errorCode, errorText } from '../lib/index.ts'
import { FolderLocked } from '../store/index.ts'
import { bufferedDestination, createLog, type Log, type LogLevel } from '../telemetry/index.ts'
import { banner, demoBanner, demoEnd, reachable } from './banner.ts'
import { adminInside } from './client.ts'
import { foundConfig } from './context.ts'
import { DEMO_ACCOUNT, DEMO_SECRET, type DemoGround, demoGround, openDemoAccount } from './demo.ts'
import { demoTour } from './demo-tour.ts'
import { DrainWords } from './drain-words.ts'
import { CommandFailure, EXIT } from './exit.ts'
import { firstStart } from './first-start.ts'
import { listenToSignals, type Signals } from './listen-to-signals.ts'
import { problemsOfSent, readConfig } from './read-config.ts'
import { reloadNow, reloadText } from './reload.ts'
import type { Terminal } from './terminal.ts'
import { VERSION } from './version.ts'

export interface ServeOptions {
  readonly configPath: string | null
  readonly dataFolder: string
  /** Null: as the configuration says. */
  readonly host: string | null
  readonly port: number | null
  readonly demo: boolean
  /** For programs: one JSON line on stdout once the port is open, and nothing else there. */
  readonly announce: boolean
  /** Null: everything, on a terminal only what needs attention. */
  readonly logLevel: LogLevel | null
}

/** Runs the server until it is told to stop; answers the exit code. */
export async function serve(options: ServeOptions, terminal: Terminal): Promise<number> {
  const signals = listenToSignals(terminal, options.demo)
  const config = await readConfig(options.configPath, terminal)
  const log = serverLog(options, terminal)
  terminal.onStrayError((error) => log.error('stray_error', { internal: String(stackOf(error)) }))
  try {
    return await serveUntil(signals, {
      options,
      config,
      log,
      terminal: options.announce ? terminal : unfailing(terminal),
    })
  } finally {
    signals.release()
    await log.flush()
  }
}

/** What a server says is not its work: a full disk behind stdout keeps it from nothing, least of all from draining. */
const unfailing = (terminal: Terminal): Terminal => ({
  ...terminal,
  out(text) {
    try {
      terminal.out(text)
    } catch (error) {
      terminal.error(`what the server says is lost: ${errorText(error)}\n`)
    }
  },
})

interface Serving {
  readonly options: ServeOptions
  readonly config: Config
  readonly log: Log
  readonly terminal: Terminal
}

async function serveUntil(signals: Signals, { options, config, log, terminal }: Serving): Promise<number> {
  const { clock, random, actor } = terminal
  const ground = options.demo ? demoGround(terminal) : null
  const host = options.host ?? config.server.host
  const configPath = laterFound(options)
  const wanted: AppOptions = {
    dataFolder: ground?.dataFolder ?? resolve(options.dataFolder),
    config: withParts(config, ground),
    configPath,
    readConfig: async () => {
      const loaded = await loadConfig(configPath(), terminal.surroundings, 'refused')
      return loaded.kind === 'config' ? { kind: 'config', config: withParts(loaded.config, ground) } : loaded
    },
    checkConfig: (text) => problemsOfSent(text, configPath(), terminal),
    host,
    port: options.port ?? config.server.port,
    version: VERSION,
    log,
    clock,
    random,
    actor,
    loopbackOnlySecret: ground === null ? null : DEMO_SECRET,
    onFatal: (error) => endAtOnce(error, log, terminal),
    ...(ground === null ? {} : { prepare: openDemoAccount }),
  }
  const app = await listen(wanted, ground === null ? 0 : DEMO_PORTS_MAX, terminal)
  await tell(app, ground, { options, presets: config.presets, host, terminal })
  signals.onReload(() => void reload(app, terminal))
  await signals.stop
  const code = await drain(app, { log, terminal, announce: options.announce })
  await ground?.close()
  return code
}

/** The file of the start; without one, what `init` writes meanwhile is found, and from then on it has to be there. */
function laterFound({ configPath, demo }: ServeOptions): () => string | null {
  let path = configPath
  return () => {
    path ??= demo ? null : foundConfig()
    return path
  }
}

/** The demo serves a catalogue of its own. */
const withParts = (config: Config, ground: DemoGround | null): Config =>
  ground === null ? config : { ...config, catalogue: ground.parts }

/** The store can no longer be trusted to this process: recovery at the next start is the way back. */
export function endAtOnce(error: Error, log: Pick<Log, 'fatal'>, terminal: Pick<Terminal, 'exit'>): never {
  log.fatal('fatal', { message: error.message })
  return terminal.exit(EXIT.fatal)
}

function serverLog({ logLevel, demo, announce }: ServeOptions, { clock, isErrorTty }: Terminal): Log {
  const quiet = isErrorTty || (demo && !announce)
  return createLog({
    destination: bufferedDestination({ fd: 2, clock }),
    level: logLevel ?? (quiet ? 'warn' : 'info'),
    clock,
  })
}

const DEMO_PORTS_MAX = 50

/** Starts the app; when its port is taken, on one of the next `more` ports. */
async function listen(options: AppOptions, more: number, terminal: Terminal): Promise<App> {
  for (let port = options.port; ; port++) {
    try {
      const app = await startApp({ ...options, port })
      if (port !== options.port) terminal.error(`port ${options.port} is taken: using ${port}\n`)
      return app
    } catch (error) {
      if (errorCode(error) !== 'EADDRINUSE' || port === 0 || port >= options.port + more)
        throw startFailure(error, { ...options, port })
    }
  }
}

const syscallOf = (error: unknown): unknown => (error instanceof Error && 'syscall' in error ? error.syscall : null)

type Wanted = Pick<AppOptions, 'host' | 'port' | 'dataFolder'>

/** What went wrong in words that say what to do; errors that are not the operator's stay as they are. */
function startFailure(error: unknown, { host, port, dataFolder }: Wanted): unknown {
  if (error instanceof FolderLocked) {
    return new CommandFailure(
      `${dataFolder} is in use by another anyrouter. Stop that one, or name another folder with --data FOLDER.`,
    )
  }
  if (errorCode(error) !== 'EADDRINUSE' && syscallOf(error) !== 'listen') return error
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return new CommandFailure(`port ${port} is taken: choose another with --port N (0 takes a free one).`)
    case 'EACCES':
      return new CommandFailure(`port ${port} may not be opened by this user: choose one from 1024 up with --port N.`)
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
      return new CommandFailure(`${host} is no address of this machine: choose another with --host ADDRESS.`)
    default:
      return error
  }
}

interface Telling {
  readonly options: ServeOptions
  readonly presets: readonly PresetState[]
  readonly host: string
  readonly terminal: Terminal
}

async function tell(app: App, ground: DemoGround | null, { options, presets, host, terminal }: Telling): Promise<void> {
  const { pid, clock, program } = terminal
  const admin = adminInside(app.admin)
  if (options.announce) {
    terminal.out(`${JSON.stringify({ event: 'listening', port: app.port, pid })}\n`)
    return
  }
  const origin = reachable(app.origin)
  const facts = { version: VERSION, program, host, origin, parts: app.house.catalogue() }
  if (ground === null) {
    const first = await firstStart(admin, options.dataFolder, terminal)
    terminal.out(banner({ ...facts, dataFolder: options.dataFolder, configPath: options.configPath, presets, first }))
    return
  }
  const { dataFolder, notes } = ground
  terminal.out(demoBanner({ ...facts, dataFolder, notes, secret: DEMO_SECRET }))
  terminal.out(await demoTour({ baseUrl: `${origin}/v1`, secret: DEMO_SECRET, account: DEMO_ACCOUNT, admin, clock }))
  terminal.out(demoEnd({ program, dataFolder }))
}

/** What came of it is in the log; a person at the terminal is told in words. */
async function reload(app: App, terminal: Terminal): Promise<void> {
  try {
    const answer = await reloadNow(adminInside(app.admin))
    if (terminal.isOutTty) terminal.out(reloadText(answer))
  } catch (error) {
    if (terminal.isErrorTty) terminal.error(`${errorText(error)}\n`)
  }
}

interface Draining {
  readonly log: Log
  readonly terminal: Terminal
  readonly announce: boolean
}

async function drain(app: App, { log, terminal, announce }: Draining): Promise<number> {
  const words = announce ? null : new DrainWords(terminal)
  const { traffic } = app.house
  words?.begin(traffic)
  const report = await app
    .drain(() => words?.progress(traffic))
    .catch((error) => {
      words?.breakOff()
      throw error
    })
  words?.end(report)
  const { clean, isProven, openHolds } = report.verify
  log.info('drained', { settled: report.settled, clean, verified: isProven, open_holds: openHolds })
  return clean ? EXIT.done : EXIT.failed
}

const stackOf = (error: unknown): unknown => (error instanceof Error ? (error.stack ?? error.message) : error)
