import type { Command } from 'commander'
import { z } from 'zod'
import { type CliContext, show } from './context.ts'
import { dollars } from './dollars.ts'
import { listAll } from './list-all.ts'
import { pathSegment } from './path-segment.ts'
import { fields, plain, table } from './table.ts'
import { withAdmin } from './with-admin.ts'

const webhook = z.object({
  account_id: z.string(),
  url: z.string(),
  low_balance_usd: z.string().nullable(),
  secret: z.string().optional(),
})

const event = z.object({
  id: z.string(),
  type: z.string(),
  created_at_ms: z.number(),
  state: z.string(),
  tries: z.number(),
  next_at_ms: z.number().nullable(),
  fault: z.string().nullable(),
})

interface Flags {
  readonly account: string
  readonly json?: true
}

interface SetFlags extends Flags {
  readonly url: string
  readonly lowBalanceUsd?: string
  readonly newSecret?: true
}

/** `webhooks set | show | test | list | remove`. */
export function addWebhooks(program: Command, context: CliContext): void {
  const group = program.command('webhooks').description('where accounts are told of low balances and spent budgets')
  const set = group
    .command('set')
    .description('say where; what signs is printed once, when it is new')
    .requiredOption('--url <url>', 'https, public')
    .option('--low-balance-usd <amount>', 'tell of a balance below this; without it of none')
    .option('--new-secret', 'take another secret')
  ofAccount(set).action(async ({ account, json, url, lowBalanceUsd, newSecret }: SetFlags, command: Command) => {
    const wish = { url, low_balance_usd: lowBalanceUsd ?? null, ...(newSecret ? { new_secret: true } : {}) }
    const answer = await withAdmin(context, command, (admin) => admin('PUT', pathOf(account), wish))
    const row = webhook.parse(answer)
    show(context, json, answer, () => webhookText(row))
    if (!json && row.secret !== undefined) context.terminal.error('The secret cannot be shown again: keep it now.\n')
  })
  ofAccount(group.command('show').description('where an account is told')).action(
    async ({ account, json }: Flags, command: Command) => {
      const answer = await withAdmin(context, command, (admin) => admin('GET', pathOf(account)))
      show(context, json, answer, () => webhookText(webhook.parse(answer)))
    },
  )
  ofAccount(group.command('test').description('send an event that tells nothing')).action(
    async ({ account, json }: Flags, command: Command) => {
      const answer = await withAdmin(context, command, (admin) => admin('POST', `${pathOf(account)}/test`))
      show(context, json, answer, () => fields(eventFields(event.parse(answer))))
    },
  )
  ofAccount(group.command('list').description('what an account was told and is to be told, newest first')).action(
    async ({ account, json }: Flags, command: Command) => {
      const list = await withAdmin(context, command, (admin) => listAll(admin, `${pathOf(account)}/events`))
      show(context, json, list, () => eventsText(list.data))
    },
  )
  ofAccount(group.command('remove').description('tell an account nothing any more')).action(
    async ({ account, json }: Flags, command: Command) => {
      const answer = await withAdmin(context, command, (admin) => admin('DELETE', pathOf(account)))
      show(context, json, answer, () => `the webhook of ${plain(account)} is removed\n`)
    },
  )
}

const ofAccount = (command: Command): Command =>
  command.requiredOption('--account <account>', 'whose it is: id or name').option('--json', 'print JSON')

const pathOf = (account: string): string => `/accounts/${pathSegment(account)}/webhook`

const webhookText = (row: z.infer<typeof webhook>): string =>
  fields([
    ['account', row.account_id],
    ['url', plain(row.url)],
    ['low balance', row.low_balance_usd === null ? 'not told' : dollars(row.low_balance_usd)],
    ...(row.secret === undefined ? [] : ([['secret', row.secret]] as const)),
  ])

const eventFields = (row: z.infer<typeof event>): [string, string][] => [
  ['id', row.id],
  ['type', row.type],
  ['time', new Date(row.created_at_ms).toISOString()],
  ['state', row.state],
  ['tries', String(row.tries)],
  ['next', row.next_at_ms === null ? '' : new Date(row.next_at_ms).toISOString()],
  ['fault', plain(row.fault ?? '')],
]

const COLUMNS = ['id', 'type', 'time', 'state', 'tries', 'next', 'fault'].map((name) => ({
  name,
  right: name === 'tries',
}))

const eventsText = (data: readonly unknown[]): string =>
  table(
    COLUMNS,
    z
      .array(event)
      .parse(data)
      .map((row) => eventFields(row).map(([, value]) => value)),
    'no events',
  )
