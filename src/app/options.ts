import type { Config, LoadedConfig, Problem } from '../config/index.ts'
import type { Clock, Random } from '../lib/index.ts'
import type { House } from '../pipeline/index.ts'
import type { FaultPanel } from '../store/index.ts'
import type { Log } from '../telemetry/index.ts'

/** What an app is built from. */
export interface AppOptions {
  readonly dataFolder: string
  /** As it is at the start, its catalogue included: the demo puts its own there. */
  readonly config: Config
  /** The file it is read from, which may come to be while this runs; null while it is all defaults. */
  configPath(): string | null
  /** Reads it again, with every secret in it. */
  readonly readConfig: () => Promise<LoadedConfig>
  /** What is wrong with a text, if it were in that file. */
  readonly checkConfig: (text: string) => Promise<readonly Problem[]>
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
  /** What has to be there before anybody is served. */
  readonly prepare?: (ground: Prepared) => Promise<void>
  /** Makes the store fail: tests only. */
  readonly faults?: FaultPanel
}

/** An app that does not listen yet. */
export interface Prepared {
  readonly house: House
  readonly admin: AdminHandler
}

export interface AdminHandler {
  handle(request: Request): Promise<Response>
}

/** What an app without a listener needs too. */
export type HouseOptions = Omit<AppOptions, 'host' | 'port' | 'configPath' | 'readConfig' | 'prepare'>
