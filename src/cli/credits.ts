import type { Command } from 'commander'
import { z } from 'zod'
import { type CliContext, show } from './context.ts'
import { dollars } from './dollars.ts'
import { listAll } from './list-all.ts'
import { fields, plain, table } from './table.ts'
import { timeAhead } from './time-ahead.ts'
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
  request_id: z.string().optional(),
  lot: z.number().optional(),
  expires_at_ms: z.number().optional(),
  remaining_usd: z.string().optional(),
})

interface Movement {
  readonly account: string
  readonly usd: string
  readonly note?: string
  readonly idempotencyKey?: string
  readonly json?: true
}

/** `credits add | adjust | refund | grant | history`. */
export function addCredits(program: Command, context: CliContext): void {
  const group = program.command('credits').description("money in and out of accounts, apart from requests'")
  const move = mover(context)
  const moveOf =
    (kind: 'top_up' | 'adjustment') =>
    ({ account, usd, note, ...rest }: Movement, command: Command) =>
      move('/credits', { account, usd, note, kind }, rest, command)
  group
    .command('add')
    .description('a top-up')
    .requiredOption('--account <account>', 'id or name')
    .requiredOption('--usd <amount>', 'dollars, such as 5.00')
    .option('--note <text>', 'why, for the history')
    .option('--idempotency-key <key>', 'the same command with the same key again moves nothing: safe to repeat')
    .option('--json', 'print JSON')
    .action(moveOf('top_up'))
  group
    .command('adjust')
    .description('a correction, up or down')
    .requiredOption('--account <account>', 'id or name')
    .requiredOption('--usd <amount>', 'dollars, such as -1.00')
    .requiredOption('--note <text>', 'why, for the history')
    .option('--idempotency-key <key>', 'the same command with the same key again moves nothing: safe to repeat')
    .option('--json', 'print JSON')
    .action(moveOf('adjustment'))
  addGiving(group, context, move)
  group
    .command('history')
    .description('what moved apart from requests, newest first: grants with what is left of them')
    .requiredOption('--account <account>', 'id or name')
    .option('--json', 'print JSON')
    .action(async ({ account, json }: Pick<Movement, 'account' | 'json'>, command: Command) => {
      const list = await withAdmin(context, command, (admin) => listAll(admin, '/credits', { account }))
      show(context, json, list, () => historyText(list.data))
    })
}

type Mover = ReturnType<typeof mover>

/** Moves money as a body says, and shows the entry. */
const mover =
  (context: CliContext) =>
  async (
    path: string,
    body: object,
    { idempotencyKey, json }: Pick<Movement, 'idempotencyKey' | 'json'>,
    command: Command,
  ): Promise<void> => {
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
    const answer = await withAdmin(context, command, (admin) => admin('POST', path, body, headers))
    show(context, json, answer, () => entryText(answer))
  }

interface Refund extends Pick<Movement, 'note' | 'idempotencyKey' | 'json'> {
  readonly request: string
  readonly usd?: string
}

interface Grant extends Movement {
  readonly expires: number
}

/** `credits refund | grant`. */
function addGiving(group: Command, context: CliContext, move: Mover): void {
  group
    .command('refund')
    .description('gives back what a request was charged, or a part of it')
    .requiredOption('--request <id>', 'req_… or gen-…, as its answer and the records have it')
    .option('--usd <amount>', 'a part; without it all that was not refunded yet')
    .option('--note <text>', 'why, for the history')
    .option('--idempotency-key <key>', 'the same command with the same key again moves nothing: safe to repeat')
    .option('--json', 'print JSON')
    .action(({ request, usd, note, ...rest }: Refund, command: Command) =>
      move('/credits/refunds', { request, usd, note }, rest, command),
    )
  group
    .command('grant')
    .description('promo credit that ends: requests use it before all else')
    .requiredOption('--account <account>', 'id or name')
    .requiredOption('--usd <amount>', 'dollars, such as 5.00')
    .requiredOption(
      '--expires <time>',
      'a span from now (30d), a day or a time: then what is left of it ends',
      (text) => timeAhead(text, context.terminal.clock.wallMs()),
    )
    .option('--note <text>', 'why, for the history')
    .option(
      '--idempotency-key <key>',
      'the same command with the same key again moves nothing: safe to repeat; the time must be the same, so no span',
    )
    .option('--json', 'print JSON')
    .action(({ account, usd, note, expires, ...rest }: Grant, command: Command) =>
      move('/credits/grants', { account, usd, note, expires_at_ms: expires }, rest, command),
    )
}

const entryText = (answer: unknown): string =>
  fields(entryFields(entry.parse(answer)).filter(([name, value]) => value !== '' || !SOMETIMES.has(name)))

const entryFields = (row: z.infer<typeof entry>): [string, string][] => [
  ['seq', String(row.seq)],
  ['time', new Date(row.at_ms).toISOString()],
  ['kind', row.kind],
  ['amount', dollars(row.amount_usd)],
  ['balance', dollars(row.balance_after_usd)],
  ['actor', row.actor],
  ['of', row.request_id ?? (row.lot === undefined ? '' : `lot ${row.lot}`)],
  ['ends', row.expires_at_ms === undefined ? '' : new Date(row.expires_at_ms).toISOString()],
  ['left', row.remaining_usd === undefined ? '' : dollars(row.remaining_usd)],
  ['note', plain(row.note ?? '')],
]

const SOMETIMES: ReadonlySet<string> = new Set(['of', 'ends', 'left'])
const RIGHT: ReadonlySet<string> = new Set(['seq', 'amount', 'balance', 'left'])
const COLUMNS = ['seq', 'time', 'kind', 'amount', 'balance', 'actor', 'of', 'ends', 'left', 'note'].map((name) => ({
  name,
  right: RIGHT.has(name),
}))

function historyText(data: readonly unknown[]): string {
  const rows = z
    .array(entry)
    .parse(data)
    .map((row) => new Map(entryFields(row)))
  const told = COLUMNS.filter(({ name }) => !SOMETIMES.has(name) || rows.some((row) => row.get(name) !== ''))
  return table(
    told,
    rows.map((row) => told.map(({ name }) => row.get(name) ?? '')),
    'no entries',
  )
}
