import { expect } from 'bun:test'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startApp } from '../../src/app.ts'
import { loadConfig, loadConfigText, systemSurroundings } from '../../src/config/index.ts'
import { systemClock, systemRandom } from '../../src/lib/index.ts'
import type { FaultPanel } from '../../src/store/index.ts'
import { createLog, type LogDestination } from '../../src/telemetry/index.ts'
import { breathe } from './wire.ts'

export interface RunOptions {
  readonly configPath: string
  readonly dataFolder: string
  /** 0 takes a free one. */
  readonly port?: number
  /** Makes the store fail; in this process only. */
  readonly faults?: FaultPanel
}

/** A gateway that listens: in this process, or the executable. */
export interface RunningGateway {
  readonly origin: string
  /** Of the executable; null in this process. */
  readonly pid: number | null
  /** Whether it still runs and trusts its store. */
  isAlive(): boolean
  /** All log lines so far. */
  logs(): string
  /** Ends it as an operator does; the executable must exit with 0. */
  stop(): Promise<void>
  /** Ends the executable at once, without clean-up. */
  kill(): Promise<void>
}

/** The gateway said no to its configuration, in words for its operator. */
export class ConfigRefused extends Error {}

/** Whether tests run against the compiled executable. */
export const executable = process.env.ANYROUTER_EXE ? resolve(process.env.ANYROUTER_EXE) : null

/** Starts a gateway: the compiled executable when ANYROUTER_EXE names one, else in this process. Throws `ConfigRefused`. */
export function runGateway(options: RunOptions): Promise<RunningGateway> {
  return executable === null ? runInside(options) : runExecutable(executable, options)
}

export interface AdminAnswer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the body of an admin answer is judged by the test
  readonly body: any
}

export type AdminCall = (method: string, path: string, body?: unknown) => Promise<AdminAnswer>

/** Calls the admin interface through the socket in the data folder. */
export function adminOf(dataFolder: string): AdminCall {
  return async (method, path, body) => {
    const response = await fetch(`http://admin/admin/v1${path}`, {
      method,
      unix: join(dataFolder, 'admin.sock'),
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    return { status: response.status, body: await response.json() }
  }
}

const AT_REST_MS = 5000

/** Waits until nothing is in progress, then checks what must hold at rest: ledger verified, no open hold, no slot taken. */
export async function checkAtRest(admin: AdminCall): Promise<void> {
  const endMs = performance.now() + AT_REST_MS
  let slots = (await admin('GET', '/slots')).body
  while (slots.in_flight > 0 && performance.now() < endMs) {
    await breathe()
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

async function runInside({ configPath, dataFolder, port = 0, faults }: RunOptions): Promise<RunningGateway> {
  const loaded = await loadConfig(configPath, systemSurroundings())
  if (loaded.kind === 'problems') throw new ConfigRefused(JSON.stringify(loaded.problems, null, 1))
  const clock = systemClock()
  const lines: string[] = []
  const destination: LogDestination = {
    write: (line) => void lines.push(line),
    flush: () => Promise.resolve(),
    flushSync: () => {},
    droppedLines: 0,
  }
  const log = createLog({ destination, level: 'info', clock })
  let isAlive = true
  const app = await startApp({
    dataFolder,
    config: loaded.config,
    configPath: () => configPath,
    readConfig: () => loadConfig(configPath, systemSurroundings()),
    async checkConfig(text) {
      const checked = await loadConfigText(text, configPath, systemSurroundings())
      return checked.kind === 'config' ? [] : checked.problems
    },
    host: '127.0.0.1',
    port,
    version: 'test',
    log,
    clock,
    random: systemRandom(),
    actor: 'test',
    loopbackOnlySecret: null,
    ...(faults === undefined ? {} : { faults }),
    onFatal: (error) => {
      isAlive = false
      throw error
    },
  })
  return {
    origin: app.origin,
    pid: null,
    isAlive: () => isAlive,
    logs: () => lines.join(''),
    async stop() {
      await app.drain()
    },
    kill() {
      throw new Error('only the executable can be killed: set ANYROUTER_EXE')
    },
  }
}

const REFUSED = 1 // the exit code for a configuration that cannot be used

async function runExecutable(path: string, { configPath, dataFolder, port = 0 }: RunOptions): Promise<RunningGateway> {
  if (!existsSync(path)) throw new Error(`no executable at ${path}`)
  const words = ['serve', '--config', configPath, '--data', dataFolder, '--port', String(port), '--announce']
  const child = Bun.spawn([path, ...words], { env: {}, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  let logged = ''
  const reading = (async () => {
    for await (const bytes of child.stderr) logged += new TextDecoder().decode(bytes)
  })()
  const reader = child.stdout.getReader()
  let said = ''
  while (!said.includes('\n')) {
    const { done, value } = await reader.read()
    if (done) {
      const code = await child.exited
      await reading
      if (code === REFUSED) throw new ConfigRefused(`${said}${logged}`)
      throw new Error(`the executable ended before it listened: ${code} ${said}${logged}`)
    }
    said += new TextDecoder().decode(value)
  }
  const announced = JSON.parse(said.slice(0, said.indexOf('\n')))
  return {
    origin: `http://127.0.0.1:${announced.port}`,
    pid: child.pid,
    isAlive: () => child.exitCode === null && child.signalCode === null,
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
