import type { Command } from 'commander'
import { z } from 'zod'
import { type CliContext, show } from './context.ts'
import { counted } from './counted.ts'
import { dollars } from './dollars.ts'
import { EXIT } from './exit.ts'
import { withAdmin } from './with-admin.ts'

const reportShape = z.object({
  clean: z.boolean(),
  faults: z.array(z.string()),
  accounts: z.number(),
  entries: z.number(),
  settlements: z.number(),
  open_holds: z.number(),
  balance_sum_usd: z.string(),
})

/** `ledger verify`: the proof that everything adds up; exit 1 when it does not. */
export function addLedger(program: Command, context: CliContext): void {
  const group = program.command('ledger').description('what decides money')
  group
    .command('verify')
    .description('check that all of it adds up; exit 1 when it does not')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }, command: Command) => {
      const answer = await withAdmin(context, command, (admin) => admin('POST', '/ledger/verify'))
      const report = reportShape.parse(answer)
      show(context, json, answer, () => reportText(report))
      if (!report.clean) context.exitCode = EXIT.failed
    })
}

function reportText(report: z.infer<typeof reportShape>): string {
  const verdict = report.clean ? 'ledger verified' : `ledger NOT clean (${counted(report.faults.length, 'fault')})`
  const counts = [
    counted(report.accounts, 'account'),
    counted(report.entries, 'entry', 'entries'),
    counted(report.settlements, 'settlement'),
    counted(report.open_holds, 'open hold'),
  ]
  const faults = report.faults.map((fault) => `  ${fault}\n`).join('')
  return `${verdict}: ${counts.join(', ')}, balances sum to ${dollars(report.balance_sum_usd)}.\n${faults}`
}
