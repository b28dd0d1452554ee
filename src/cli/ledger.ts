import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { z } from 'zod'
import { formatUsd } from '../domain/index.ts'
import { verifyFile } from '../store/index.ts'
import { type CliContext, show } from './context.ts'
import { counted } from './counted.ts'
import { dollars } from './dollars.ts'
import { CommandFailure, EXIT } from './exit.ts'
import { exportPostings } from './export-postings.ts'
import { pathOf } from './path-of.ts'
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

/** `ledger verify`: the proof that everything adds up, exit 1 when it does not; `ledger export`: all of it as CSV. */
export function addLedger(program: Command, context: CliContext): void {
  const group = program.command('ledger').description('what decides money')
  group
    .command('verify')
    .description('check that all of it adds up; exit 1 when it does not')
    .option('--file <ledger>', 'the ledger.db of a backup, which is only read', pathOf)
    .option('--json', 'print JSON')
    .action(async ({ file, json }: { file?: string; json?: true }, command: Command) => {
      const answer =
        file === undefined
          ? await withAdmin(context, command, (admin) => admin('POST', '/ledger/verify'))
          : await verifyBackup(file)
      const report = reportShape.parse(answer)
      show(context, json, answer, () => reportText(report))
      if (!report.clean) context.exitCode = EXIT.failed
    })
  group
    .command('export')
    .description(
      'every posting as CSV, oldest first: amount_nano sums to zero over each entry, and to the balance over the account side',
    )
    .option('--out <file>', 'a new file (default: stdout)', pathOf)
    .action(async ({ out }: { out?: string }, command: Command) => {
      const { terminal } = context
      const exportTo = (write: (text: string) => void) =>
        withAdmin(context, command, (admin) => exportPostings(admin, write))
      if (out === undefined) await exportTo((text) => terminal.out(text))
      else terminal.out(`${out}: ${counted(await intoFile(out, exportTo), 'posting')}\n`)
    })
}

/** Into a file that is made, for its owner alone. What breaks off leaves none: a part of it would look like the whole. */
async function intoFile<T>(path: string, work: (write: (text: string) => void) => Promise<T>): Promise<T> {
  if (existsSync(path)) throw new CommandFailure(`${path} is there already. Nothing was done.`)
  writeFileSync(path, '', { mode: 0o600, flag: 'wx' })
  try {
    return await work((text) => appendFileSync(path, text))
  } catch (error) {
    rmSync(path)
    throw error
  }
}

async function verifyBackup(file: string): Promise<z.infer<typeof reportShape>> {
  if (!existsSync(file)) throw new CommandFailure(`there is no ${file}`)
  const { clean, faults, accounts, entries, settlements, openHolds, balanceSum } = await verifyFile(file)
  const counts = { accounts, entries, settlements, open_holds: openHolds }
  return { clean, faults: [...faults], ...counts, balance_sum_usd: formatUsd(BigInt(balanceSum)) }
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
