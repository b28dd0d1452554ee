import { Command, CommanderError } from 'commander'
import { ZodError } from 'zod'
import { errorText } from '../lib/index.ts'
import { addAccounts } from './accounts.ts'
import { addServe } from './add-serve.ts'
import { addAudit } from './audit.ts'
import { addBackends } from './backends.ts'
import { addBackup } from './backup.ts'
import { addCheck } from './check.ts'
import { type AddCommand, type CliContext, CONFIG_FILE } from './context.ts'
import { addCredits } from './credits.ts'
import { addDoctor } from './doctor.ts'
import { CommandFailure, EXIT } from './exit.ts'
import { addInit } from './init.ts'
import { jsonLast } from './json-last.ts'
import { addKeys } from './keys.ts'
import { addLedger } from './ledger.ts'
import { addManagementKeys } from './management-keys.ts'
import { addMasterKey } from './master-key.ts'
import { addModels } from './models.ts'
import { addOwnCredentials } from './own-credentials.ts'
import { pathOf } from './path-of.ts'
import { addQuarantine } from './quarantine.ts'
import { addReload } from './reload.ts'
import { addRoute } from './route.ts'
import { addSmoke } from './smoke.ts'
import type { Terminal } from './terminal.ts'
import { addUsage } from './usage.ts'
import { addVersion, VERSION } from './version.ts'
import { addWebhooks } from './webhooks.ts'

/** In the order in which help lists them. */
const COMMANDS: readonly AddCommand[] = [
  addServe,
  addInit,
  addCheck,
  addReload,
  addAccounts,
  addKeys,
  addCredits,
  addWebhooks,
  addUsage,
  addOwnCredentials,
  addMasterKey,
  addModels,
  addBackends,
  addQuarantine,
  addRoute,
  addDoctor,
  addSmoke,
  addLedger,
  addBackup,
  addManagementKeys,
  addAudit,
  addVersion,
]

/** Runs one command line (without the program's name) and answers its exit code: 0 done, 1 failed, 2 wrong usage. */
export async function runCommandLine(words: readonly string[], terminal: Terminal): Promise<number> {
  const context: CliContext = { terminal, exitCode: EXIT.done }
  try {
    const program = buildProgram(context)
    await program.parseAsync(jsonLast(words, program), { from: 'user' })
    return context.exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage // its words are out already
    if (error instanceof CommandFailure) {
      terminal.error(`anyrouter: ${error.message}\n`)
      return error.exitCode
    }
    terminal.error(`anyrouter: ${error instanceof ZodError ? misunderstood(error) : errorText(error)}\n`)
    return EXIT.failed
  }
}

/** After an upgrade the commands are of the new version, and the server, until it is restarted, of the old one. */
function misunderstood({ issues: [first] }: ZodError): string {
  const what = first === undefined ? '' : ` (${first.path.join('.')}: ${first.message})`
  return `the answer is not as anyrouter ${VERSION} knows it${what}: restart the server, if it is of another version. What was asked for may be done.`
}

function buildProgram(context: CliContext): Command {
  const { terminal } = context
  const program = new Command('anyrouter')
    .description('An LLM gateway in one executable.')
    .version(`anyrouter ${VERSION}`)
    .option('--data <folder>', 'the data folder', pathOf, './anyrouter-data')
    .option('--config <file>', `the configuration (default: ${CONFIG_FILE}, when there is one)`, pathOf)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.error(text) })
    .exitOverride()
  for (const add of COMMANDS) add(program, context)
  return program
}
