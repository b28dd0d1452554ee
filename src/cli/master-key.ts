import type { Command } from 'commander'
import { z } from 'zod'
import { type CliContext, show } from './context.ts'
import { counted } from './counted.ts'
import { withAdmin } from './with-admin.ts'

const rotation = z.object({ resealed: z.number(), unreadable: z.number() })

/** `master-key rotate`. */
export function addMasterKey(program: Command, context: CliContext): void {
  const group = program.command('master-key').description("what the accounts' own credentials are encrypted with")
  group
    .command('rotate')
    .description(
      'make a new key and encrypt everything with it, while requests go on; asked for again, it goes on where it ended',
    )
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }, command: Command) => {
      const answer = await withAdmin(context, command, (admin) => admin('POST', '/master-key/rotate'))
      show(context, json, answer, () => textOf(rotation.parse(answer)))
    })
}

function textOf({ resealed, unreadable }: z.infer<typeof rotation>): string {
  const lost = unreadable === 0 ? '' : `; ${unreadable} could not be opened before either: set their secrets anew`
  return `the master key is new: ${counted(resealed, 'credential')} encrypted with it${lost}. Copies of the data folder from before need the old one.\n`
}
