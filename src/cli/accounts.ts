import { type Command, Option } from 'commander'
import { z } from 'zod'
import { type CliContext, show } from './context.ts'
import { dollars } from './dollars.ts'
import { CommandFailure, EXIT } from './exit.ts'
import { listAll } from './list-all.ts'
import { bodyOf, listOf, listText, type OrNone, orNone } from './or-none.ts'
import { pathSegment } from './path-segment.ts'
import { addPolicyFlags, type PolicyFlags, policyBody, policyTerms, policyText } from './policy-terms.ts'
import { fields, plain, table } from './table.ts'
import { withAdmin } from './with-admin.ts'

const account = policyTerms.extend({
  id: z.string(),
  name: z.string(),
  kind: z.string(),
  disabled: z.boolean(),
  models: z.array(z.string()).nullable(),
  byok_fallback: z.string(),
  store_content: z.boolean(),
  balance_usd: z.string(),
  held_usd: z.string(),
  available_usd: z.string(),
})

interface Flags {
  readonly json?: true
}

/** `accounts create | list | show | update | disable | enable`. */
export function addAccounts(program: Command, context: CliContext): void {
  const group = program.command('accounts').description('who pays')
  const create = group
    .command('create')
    .description('make an account: prepaid, unless it is unmetered')
    .requiredOption('--name <name>', 'its name, unique')
    .option('--unmetered', 'without a limit by balance')
  addTermsFlags(create)
    .option('--json', 'print JSON')
    .action(async (flags: Flags & TermsFlags & { name: string; unmetered?: true }, command: Command) => {
      const wish = { name: flags.name, kind: flags.unmetered ? 'unmetered' : 'prepaid', ...termsBody(flags) }
      const answer = await withAdmin(context, command, (admin) => admin('POST', '/accounts', wish), 'made')
      show(context, flags.json, answer, () => accountText(answer))
    })
  group
    .command('list')
    .description('all accounts')
    .option('--json', 'print JSON')
    .action(async (flags: Flags, command: Command) => {
      const list = await withAdmin(context, command, (admin) => listAll(admin, '/accounts'))
      show(context, flags.json, list, () => accountsText(list.data))
    })
  group
    .command('show')
    .description('one account')
    .argument('<account>', 'its id or name')
    .option('--json', 'print JSON')
    .action(async (name: string, flags: Flags, command: Command) => {
      const answer = await withAdmin(context, command, (admin) => admin('GET', pathOf(name)))
      show(context, flags.json, answer, () => accountText(answer))
    })
  addChanges(group, context)
}

function addChanges(group: Command, context: CliContext): void {
  const change = async (account: string, wish: object, flags: Flags, command: Command): Promise<void> => {
    const answer = await withAdmin(context, command, (admin) => admin('PATCH', pathOf(account), wish))
    show(context, flags.json, answer, () => accountText(answer))
  }
  const update = group
    .command('update')
    .description(
      'rename an account, or change what all its keys may do; what is not named stays, and none takes a bound away',
    )
    .argument('<account>', 'its id or name')
    .option('--name <name>', 'its new name')
  addTermsFlags(update)
    .option('--json', 'print JSON')
    .action((account: string, flags: Flags & TermsFlags & { name?: string }, command: Command) => {
      const wish = { ...(flags.name === undefined ? {} : { name: flags.name }), ...termsBody(flags) }
      if (Object.keys(wish).length === 0) throw new CommandFailure('nothing to change: name a flag.', EXIT.usage)
      return change(account, wish, flags, command)
    })
  group
    .command('disable')
    .description('refuse all keys of an account, from the next request on')
    .argument('<account>', 'its id or name')
    .option('--json', 'print JSON')
    .action((account: string, flags: Flags, command: Command) => change(account, { disabled: true }, flags, command))
  group
    .command('enable')
    .description('take the keys of an account again')
    .argument('<account>', 'its id or name')
    .option('--json', 'print JSON')
    .action((account: string, flags: Flags, command: Command) => change(account, { disabled: false }, flags, command))
}

interface TermsFlags extends PolicyFlags {
  readonly models?: OrNone<readonly string[]>
  readonly byokFallback?: string
  readonly storeContent?: boolean
}

const addTermsFlags = (command: Command): Command =>
  addPolicyFlags(
    command
      .option('--models <list>', 'the models that its keys may use, separated by commas, or none: all', orNone(listOf))
      .option('--store-content', 'keep prompts and answers of its requests, sealed, for records.content_keep_days')
      .option('--no-store-content', 'keep none from now on')
      .addOption(
        new Option(
          '--byok-fallback <which>',
          'whether requests go on with your credentials where its own fail',
        ).choices(['shared', 'never']),
      ),
  )

const termsBody = (flags: TermsFlags): object =>
  bodyOf({
    models: flags.models,
    byok_fallback: flags.byokFallback,
    store_content: flags.storeContent,
    ...policyBody(flags),
  })

const pathOf = (account: string): string => `/accounts/${pathSegment(account)}`

type Account = z.infer<typeof account>

function accountText(answer: unknown): string {
  const row = account.parse(answer)
  return fields([
    ...whoseCells(row),
    ['models', row.models === null ? 'all' : listText(row.models)],
    ['prompts and answers', row.store_content ? 'kept, sealed' : 'not kept'],
    ['own credentials', row.byok_fallback === 'never' ? 'alone where it has any' : 'first, then yours'],
    ['policy', policyText(row)],
    ...moneyCells(row),
  ])
}

type Cells = readonly (readonly [name: string, value: string])[]

const whoseCells = ({ id, name, kind, disabled }: Account): Cells => [
  ['id', id],
  ['name', plain(name)],
  ['kind', kind],
  ['state', stateOf(disabled)],
]

const moneyCells = ({ balance_usd, held_usd, available_usd }: Account): Cells => [
  ['balance', dollars(balance_usd)],
  ['held', dollars(held_usd)],
  ['available', dollars(available_usd)],
]

const COLUMNS = [
  ...['id', 'name', 'kind', 'state'].map((name) => ({ name })),
  ...['balance', 'held', 'available'].map((name) => ({ name, right: true })),
]

function accountsText(data: readonly unknown[]): string {
  const rows = z.array(account).parse(data)
  return table(
    COLUMNS,
    rows.map((row) => [...whoseCells(row), ...moneyCells(row)].map(([, value]) => value)),
    'no accounts',
  )
}

const stateOf = (disabled: boolean): string => (disabled ? 'disabled' : 'active')
