import { type Command, Option } from 'commander'
import { nearest } from '../lib/index.ts'
import type { LogLevel } from '../telemetry/index.ts'
import { type CliContext, placeOf } from './context.ts'
import { hostOf } from './host-of.ts'
import { portOf } from './port-of.ts'
import { serve } from './serve.ts'

interface Flags {
  readonly host?: string
  readonly port?: number
  readonly demo?: true
  readonly announce?: true
  readonly logLevel?: LogLevel
}

const LEVELS: readonly LogLevel[] = ['info', 'warn', 'error', 'fatal', 'silent']

/** `serve`, the command that is meant when none is named. */
export function addServe(program: Command, context: CliContext): void {
  program
    .command('serve', { isDefault: true })
    .description('run the gateway (the default command)')
    .option('--host <address>', 'the address to listen on (default: 127.0.0.1)', hostOf)
    .option('--port <number>', 'the port to listen on; 0 takes a free one (default: 8080)', portOf)
    .option('--demo', 'try everything with two simulated providers and no account anywhere')
    .option('--announce', 'for programs: one JSON line on stdout once the port is open, nothing else there')
    .addOption(new Option('--log-level <level>', 'the least level that is logged').choices(LEVELS))
    .allowExcessArguments()
    .action(async (flags: Flags, command: Command) => {
      const [word] = command.args
      if (word !== undefined) refuseWord(program, word)
      const { configPath, dataFolder } = placeOf(command)
      const isNamed = (option: string) => program.getOptionValueSource(option) === 'cli'
      if (flags.demo && (isNamed('config') || isNamed('data'))) {
        command.error('error: --demo brings its own providers and data folder: leave out --config and --data')
      }
      context.exitCode = await serve(
        {
          configPath: flags.demo ? null : configPath,
          dataFolder,
          host: flags.host ?? null,
          port: flags.port ?? null,
          demo: flags.demo === true,
          announce: flags.announce === true,
          logLevel: flags.logLevel ?? null,
        },
        context.terminal,
      )
    })
}

/** A word that is no command ends up at the default one. */
function refuseWord(program: Command, word: string): never {
  const names = program.commands.map((command) => command.name())
  const [near] = nearest(word, names, 1)
  const hint = near === undefined ? `Commands: ${names.join(', ')}` : `Did you mean ${near}?`
  program.error(`error: unknown command '${word}'\n(${hint})`)
}
