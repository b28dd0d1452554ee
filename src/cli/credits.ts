import type { Command } from 'commander'
import { z } from 'zod'
import { type CliContext, show } from './context.ts'
import { dollars } from './dollars.ts'
import { listAll } from './list-all.ts'
import { fields, plain, table } from './table.ts'
import { withAdmin } from './with-admin.ts'

const entry = z.object({
  seq: z.number(),
  kind: z.string(),
  account_id: z.string(),
  amount_usd: z.string(),
  balance_after_usd: z.string(),
  note: z.string().nullable(),
  actor: z.string(),
  at_ms: z.number(),
})

interface Movement {
  readonly account: string
  readonly usd: string
  readonly note?: string
  readonly idempotencyKey?: string
  readonly json?: true
}

/** `credits add | adjust | history`. */
export function addCredits(program: Command, context: CliContext): void {
  const group = program.command('credits').description("money in and out of accounts, apart from requests'")
  const move =
    (kind: 'top_up' | 'adjustment') =>
    async ({ json, idempotencyKey, ...wish }: Movement, command: Command) => {
      const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
      const answer = await withAdmin(context, command, (admin) => admin('POST', '/credits', { ...wish, kind }, headers))
      show(context, json, answer, () => fields(entryFields(entry.parse(answer))))
    }
  group
    .command('add')
    .description('a top-up')
    .requiredOption('--account <account>', 'id or name')
    .requiredOption('--usd <amount>', 'dollars, such as 5.00')
    .option('--note <text>', 'why, for the history')
    .option('--idempotency-key <key>', 'the same command with the same key again moves nothing: safe to repeat')
    .option('--json', 'print JSON')
    .action(move('top_up'))
  group
    .command('adjust')
    .description('a correction, up or down')
    .requiredOption('--account <account>', 'id or name')
    .requiredOption('--usd <amount>', 'dollars, such as -1.00')
    .requiredOption('--note <text>', 'why, for the history')
    .option('--idempotency-key <key>', 'the same command with the same key again moves nothing: safe to repeat')
    .option('--json', 'print JSON')
    .action(move('adjustment'))
  group
    .command('history')
    .description('top-ups and adjustments of an account, newest first')
    .requiredOption('--account <account>', 'id or name')
    .option('--json', 'print JSON')
    .action(async ({ account, json }: Pick<Movement, 'account' | 'json'>, command: Command) => {
      const list = await withAdmin(context, command, (admin) => listAll(admin, '/credits', { account }))
      show(context, json, list, () => historyText(list.data))
    })
}

const entryFields = (row: z.infer<typeof entry>): [string, string][] => [
  ['seq', String(row.seq)],
  ['time', new Date(row.at_ms).toISOString()],
  ['kind', row.kind],
  ['amount', dollars(row.amount_usd)],
  ['balance', dollars(row.balance_after_usd)],
  ['actor', row.actor],
  ['note', plain(row.note ?? '')],
]

const RIGHT: ReadonlySet<string> = new Set(['seq', 'amount', 'balance'])
const COLUMNS = ['seq', 'time', 'kind', 'amount', 'balance', 'actor', 'note'].map((name) => ({
  name,
  right: RIGHT.has(name),
}))

function historyText(data: readonly unknown[]): string {
  const rows = z.array(entry).parse(data)
  return table(
    COLUMNS,
    rows.map((row) => entryFields(row).map(([, value]) => value)),
    'no entries',
  )
}
