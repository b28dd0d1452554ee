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
  readonly configPath: string | null
}

/** Reads the options of the whole program from one of its commands. */
export function placeOf(command: Command): Place {
  const { data, config } = command.optsWithGlobals<{ data: string; config?: string }>()
  return { dataFolder: data, configPath: config ?? null }
}

/** Prints what a command found: as it came with `--json`, else as text for people. */
export function show({ terminal }: CliContext, json: boolean | undefined, answer: unknown, text: () => string): void {
  terminal.out(json === true ? `${JSON.stringify(answer, null, 2)}\n` : text())
}
