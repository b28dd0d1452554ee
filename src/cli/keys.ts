import type { Command } from 'commander'
import { z } from 'zod'
import { type CliContext, show } from './context.ts'
import { dollars } from './dollars.ts'
import { CommandFailure, EXIT } from './exit.ts'
import { addTermsFlags, keyTerms, type TermsFlags, termsBody, termsFields } from './key-terms.ts'
import { listAll } from './list-all.ts'
import { pathSegment } from './path-segment.ts'
import { fields, plain, table } from './table.ts'
import { withAdmin } from './with-admin.ts'

const key = keyTerms.extend({
  id: z.string(),
  account_id: z.string(),
  name: z.string(),
  prefix: z.string(),
  disabled: z.boolean(),
  revoked: z.boolean(),
})
const newKey = key.extend({ secret: z.string() })
const spentKey = key.extend({
  spent_total_usd: z.string(),
  spent_day_usd: z.string(),
  spent_week_usd: z.string(),
  spent_month_usd: z.string(),
})

type Key = z.infer<typeof key>

interface Flags {
  readonly json?: true
}

interface Wish extends Flags, TermsFlags {
  readonly account: string
  readonly name: string
}

/** `keys create | list | show | update | disable | enable | revoke`. */
export function addKeys(program: Command, context: CliContext): void {
  const group = program.command('keys').description('the secrets that clients show')
  const nowMs = (): number => context.terminal.clock.wallMs()
  const create = group
    .command('create')
    .description('make a key; its secret is printed once and stored nowhere')
    .requiredOption('--account <account>', 'who pays: id or name')
    .requiredOption('--name <name>', 'what it is for')
  addTermsFlags(create, nowMs)
    .option('--json', 'print JSON')
    .action(async ({ json, account, name, ...terms }: Wish, command: Command) => {
      const wish = { account, name, ...termsBody(terms) }
      const answer = await withAdmin(context, command, (admin) => admin('POST', '/keys', wish))
      const made = newKey.parse(answer)
      show(context, json, answer, () => fields([...keyFields(made, nowMs()), ['secret', made.secret]]))
      if (!json) context.terminal.error('The secret is stored nowhere: keep it now.\n')
    })
  group
    .command('list')
    .description('all keys, or those of one account')
    .option('--account <account>', 'id or name')
    .option('--json', 'print JSON')
    .action(async (flags: Flags & { account?: string }, command: Command) => {
      const query: Record<string, string> = flags.account === undefined ? {} : { account: flags.account }
      const [list, accounts] = await withAdmin(context, command, async (admin) => [
        await listAll(admin, '/keys', query),
        await listAll(admin, '/accounts'),
      ])
      show(context, flags.json, list, () => keysText(list.data, accounts.data, nowMs()))
    })
  addShow(group, context)
  const update = group
    .command('update')
    .description('change what a key may do; what is not named stays, and none takes a bound away')
    .argument('<key>', 'its id')
    .option('--name <name>', 'what it is for')
  addTermsFlags(update, nowMs)
    .option('--json', 'print JSON')
    .action(async (id: string, { json, name, ...terms }: Flags & TermsFlags & { name?: string }, command: Command) => {
      const wish = { ...(name === undefined ? {} : { name }), ...termsBody(terms) }
      if (Object.keys(wish).length === 0) throw new CommandFailure('nothing to change: name a flag.', EXIT.usage)
      const answer = await withAdmin(context, command, (admin) => admin('PATCH', pathOf(id), wish))
      show(context, json, answer, () => fields(keyFields(key.parse(answer), nowMs())))
    })
  for (const [name, words, disabled] of SWITCHES)
    group
      .command(name)
      .description(words)
      .argument('<key>', 'its id')
      .option('--json', 'print JSON')
      .action(async (id: string, flags: Flags, command: Command) => {
        const answer = await withAdmin(context, command, (admin) => admin('PATCH', pathOf(id), { disabled }))
        show(context, flags.json, answer, () => fields(keyFields(key.parse(answer), nowMs())))
      })
  group
    .command('revoke')
    .description('end a key, for ever and at once')
    .argument('<key>', 'its id')
    .option('--json', 'print JSON')
    .action(async (id: string, flags: Flags, command: Command) => {
      const answer = await withAdmin(context, command, (admin) => admin('POST', `${pathOf(id)}/revoke`))
      show(context, flags.json, answer, () => fields(keyFields(key.parse(answer), nowMs())))
    })
}

const SWITCHES = [
  ['disable', 'refuse a key, from the next request on, until it is enabled', true],
  ['enable', 'take a key again', false],
] as const

function addShow(group: Command, context: CliContext): void {
  group
    .command('show')
    .description('one key, with what it spent')
    .argument('<key>', 'its id')
    .option('--json', 'print JSON')
    .action(async (id: string, flags: Flags, command: Command) => {
      const answer = await withAdmin(context, command, (admin) => admin('GET', pathOf(id)))
      show(context, flags.json, answer, () => spentText(answer, context.terminal.clock.wallMs()))
    })
}

const pathOf = (id: string): string => `/keys/${pathSegment(id)}`

const keyFields = (row: Key, nowMs: number): [string, string][] => [
  ['id', row.id],
  ['account', row.account_id],
  ['name', plain(row.name)],
  ['prefix', `${row.prefix}…`],
  ...termsFields(row),
  ['state', stateOf(row, nowMs)],
]

function spentText(answer: unknown, nowMs: number): string {
  const row = spentKey.parse(answer)
  return fields([
    ...keyFields(row, nowMs),
    ['spent', dollars(row.spent_total_usd)],
    ['spent today', dollars(row.spent_day_usd)],
    ['this week', dollars(row.spent_week_usd)],
    ['this month', dollars(row.spent_month_usd)],
  ])
}

const COLUMNS = [
  'id',
  'account',
  'name',
  'prefix',
  'models',
  'expires',
  'addresses',
  'budgets',
  'limits',
  'policy',
  'state',
]

const account = z.object({ id: z.string(), name: z.string() })

/** Of accounts a person knows the names. */
function keysText(data: readonly unknown[], accounts: readonly unknown[], nowMs: number): string {
  const rows = z.array(key).parse(data)
  const names = new Map(accounts.map((one) => account.parse(one)).map(({ id, name }) => [id, plain(name)]))
  return table(
    COLUMNS.map((name) => ({ name })),
    rows.map((row) =>
      keyFields({ ...row, account_id: names.get(row.account_id) ?? row.account_id }, nowMs).map(([, value]) => value),
    ),
    'no keys',
  )
}

function stateOf({ disabled, revoked, expires_at_ms: expiresAtMs }: Key, nowMs: number): string {
  if (revoked) return 'revoked'
  if (expiresAtMs !== null && expiresAtMs <= nowMs) return 'expired'
  return disabled ? 'disabled' : 'active'
}
