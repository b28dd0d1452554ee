import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { Terminal } from './terminal.ts'

/** What every command is given. */
export interface CliContext {
  readonly terminal: Terminal
  /** How the command line ends when nothing is thrown. */
  exitCode: number
}

/** Adds one command to the program, or to a group of it. */
export type AddCommand = (parent: Command, context: CliContext) => void

/** The options of the whole program, wherever they stand on the line. */
export interface Place {
  readonly dataFolder: string
  /** As named; else `anyrouter.yaml` of the current folder, when there is one. */
  readonly configPath: string | null
}

/** Where the configuration is written, and found when none is named. */
export const CONFIG_FILE = 'anyrouter.yaml'

/** What gives a configuration without providers something to serve. */
export const KEY_WAY = 'set a key such as OPENAI_API_KEY'

/** What gives an empty configuration something to serve. */
export const WAYS_ON = `${KEY_WAY}, or describe a provider in ${CONFIG_FILE} (anyrouter init writes one to begin with)`

/** Reads the options of the whole program from one of its commands. */
export function placeOf(command: Command): Place {
  const { data, config } = command.optsWithGlobals<{ data: string; config?: string }>()
  return { dataFolder: data, configPath: config ?? foundConfig() }
}

/** `anyrouter.yaml` of the current folder; null when there is none. */
export const foundConfig = (): string | null => (existsSync(CONFIG_FILE) ? CONFIG_FILE : null)

/** Prints what a command found: as it came with `--json`, else as text for people. */
export function show({ terminal }: CliContext, json: boolean | undefined, answer: unknown, text: () => string): void {
  terminal.out(json === true ? `${JSON.stringify(answer, null, 2)}\n` : text())
}
