import type { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { type CliContext, show } from './context.ts'

/** The version of this program, from package.json. */
export const VERSION: string = manifest.version

/** `version`. */
export function addVersion(program: Command, context: CliContext): void {
  program
    .command('version')
    .description('the version of this program')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: true }) => {
      show(context, json, { version: VERSION }, () => `anyrouter ${VERSION}\n`)
    })
}
