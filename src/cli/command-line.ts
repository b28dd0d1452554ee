import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { nearest } from '../lib/index.ts'
import { CommandFailure, EXIT } from './exit.ts'
import { serve } from './serve.ts'
import type { Terminal } from './terminal.ts'
import { VERSION } from './version.ts'

/** Runs one command line (without the program's name) and answers its exit code: 0 done, 1 failed, 2 wrong usage. */
export async function runCommandLine(words: readonly string[], terminal: Terminal): Promise<number> {
  const run = { code: EXIT.done as number }
  const program = buildProgram(terminal, run)
  try {
    await program.parseAsync(words, { from: 'user' })
    return run.code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage // its words are out already
    terminal.error(`anyrouter: ${error instanceof CommandFailure ? error.message : internalWords(error)}\n`)
    return error instanceof CommandFailure ? error.exitCode : EXIT.failed
  }
}

const internalWords = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function buildProgram(terminal: Terminal, run: { code: number }): Command {
  const program = new Command('anyrouter')
    .description('An LLM gateway in one executable.')
    .version(`anyrouter ${VERSION}`)
    .option('--data <folder>', 'the data folder', './anyrouter-data')
    .option('--config <file>', 'the configuration (YAML)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.error(text) })
    .exitOverride()
  addServe(program, terminal, run)
  return program
}

function addServe(program: Command, terminal: Terminal, run: { code: number }): void {
  program
    .command('serve', { isDefault: true })
    .description('run the gateway (the default command)')
    .option('--host <address>', 'the address to listen on (default: 127.0.0.1)')
    .option('--port <number>', 'the port to listen on; 0 takes a free one (default: 8080)', portOf)
    .option('--demo', 'try everything with two simulated providers and no account anywhere')
    .option('--announce', 'for programs: one JSON line on stdout once the port is open, nothing else there')
    .addOption(
      new Option('--log-level <level>', 'the least level that is logged').choices([
        'info',
        'warn',
        'error',
        'fatal',
        'silent',
      ]),
    )
    .allowExcessArguments()
    .action(async (flags, command: Command) => {
      const [word] = command.args
      if (word !== undefined) refuseWord(program, word)
      const { config, data } = program.opts()
      if (flags.demo && (config !== undefined || program.getOptionValueSource('data') === 'cli')) {
        program.error('error: --demo brings its own providers and data folder: leave out --config and --data')
      }
      run.code = await serve(
        {
          configPath: config ?? null,
          dataFolder: data,
          host: flags.host ?? null,
          port: flags.port ?? null,
          demo: flags.demo === true,
          announce: flags.announce === true,
          logLevel: flags.logLevel ?? null,
        },
        terminal,
      )
    })
}

/** A word that is no command ends up at the default one. */
function refuseWord(program: Command, word: string): never {
  const [near] = nearest(
    word,
    program.commands.map((command) => command.name()),
    1,
  )
  program.error(`error: unknown command '${word}'${near === undefined ? '' : `\n(Did you mean ${near}?)`}`)
}

function portOf(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('A port is a number from 0 to 65535.')
  return port
}
