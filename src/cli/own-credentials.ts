import { type Command, Option } from 'commander'
import { z } from 'zod'
import { type CliContext, show } from './context.ts'
import { listAll } from './list-all.ts'
import { pathSegment } from './path-segment.ts'
import { readSecret, type SecretSource } from './read-secret.ts'
import { fields, plain, table } from './table.ts'
import { withAdmin } from './with-admin.ts'

const credential = z.object({
  id: z.string(),
  provider: z.string(),
  name: z.string(),
  base_url: z.string().nullable(),
  hint: z.string(),
  enabled: z.boolean(),
  readable: z.boolean(),
  fault: z.object({ cause: z.string() }).nullable(),
})

interface Flags {
  readonly account: string
  readonly json?: true
}

interface NewFlags extends Flags, SecretSource {
  readonly provider: string
  readonly name: string
  readonly baseUrl?: string
}

interface ChangeFlags extends Flags, SecretSource {
  readonly name?: string
  readonly enable?: true
  readonly disable?: true
}

/** `own-credentials add | list | update | remove`. */
export function addOwnCredentials(program: Command, context: CliContext): void {
  const group = program
    .command('own-credentials')
    .description('the secrets for providers that accounts bring themselves; stored encrypted, never shown again')
  addAdd(group, context)
  addUpdate(group, context)
  ofAccount(group.command('list').description('those of an account')).action(
    async ({ account, json }: Flags, command: Command) => {
      const list = await withAdmin(context, command, (admin) => listAll(admin, pathOf(account)))
      show(context, json, list, () => listText(list.data))
    },
  )
  ofAccount(group.command('remove').description('delete one, for ever').argument('<credential>', 'its id')).action(
    async (id: string, { account, json }: Flags, command: Command) => {
      const answer = await withAdmin(context, command, (admin) => admin('DELETE', pathOf(account, id)))
      show(context, json, answer, () => `${plain(id)} is removed\n`)
    },
  )
}

function addAdd(group: Command, context: CliContext): void {
  const command = group
    .command('add')
    .description('store one; its secret comes from --env, --file, or else from stdin')
    .requiredOption('--provider <provider>', 'whose it is: a provider of the configuration')
    .requiredOption('--name <name>', "unique among the account's for this provider")
    .option('--base-url <url>', "the account's own place that it is used at, instead of the provider's backends")
  withSecret(ofAccount(command)).action(async (flags: NewFlags, given: Command) => {
    const { account, provider, name, baseUrl, json } = flags
    const wish = { provider, name, base_url: baseUrl, secret: await readSecret(flags, context.terminal) }
    const answer = await withAdmin(context, given, (admin) => admin('POST', pathOf(account), wish))
    show(context, json, answer, () => fields(credentialFields(credential.parse(answer))))
  })
}

function addUpdate(group: Command, context: CliContext): void {
  const command = group
    .command('update')
    .description('change its name, its secret, or whether it is used')
    .argument('<credential>', 'its id')
    .option('--name <name>', 'another name')
    .option('--enable', 'use it')
    .addOption(new Option('--disable', 'keep it, unused').conflicts('enable'))
  withSecret(ofAccount(command)).action(async (id: string, flags: ChangeFlags, given: Command) => {
    const { account, name, json } = flags
    const hasSecret = flags.env !== undefined || flags.file !== undefined
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(hasSecret ? { secret: await readSecret(flags, context.terminal) } : {}),
      ...(flags.enable ? { enabled: true } : {}),
      ...(flags.disable ? { enabled: false } : {}),
    }
    if (Object.keys(change).length === 0)
      given.error('error: say what to change: --name, --env or --file, --enable or --disable')
    const answer = await withAdmin(context, given, (admin) => admin('PATCH', pathOf(account, id), change))
    show(context, json, answer, () => fields(credentialFields(credential.parse(answer))))
  })
}

const ofAccount = (command: Command): Command =>
  command.requiredOption('--account <account>', 'whose they are: id or name').option('--json', 'print JSON')

const withSecret = (command: Command): Command =>
  command
    .option('--env <variable>', 'read the secret from this variable of the environment')
    .addOption(new Option('--file <path>', 'read the secret from this file (- is stdin)').conflicts('env'))

const pathOf = (account: string, id?: string): string =>
  `/accounts/${pathSegment(account)}/credentials${id === undefined ? '' : `/${pathSegment(id)}`}`

const credentialFields = ({
  id,
  provider,
  name,
  base_url: place,
  hint,
  ...state
}: z.infer<typeof credential>): [string, string][] => [
  ['id', id],
  ['provider', plain(provider)],
  ['name', plain(name)],
  ['place', place === null ? "the provider's" : plain(place)],
  ['secret', `…${plain(hint)}`],
  ['state', stateOf(state)],
]

const COLUMNS = ['id', 'provider', 'name', 'place', 'secret', 'state'].map((name) => ({ name }))

function listText(data: readonly unknown[]): string {
  const rows = z.array(credential).parse(data)
  return table(
    COLUMNS,
    rows.map((row) => credentialFields(row).map(([, value]) => value)),
    'no credentials of its own',
  )
}

function stateOf({
  enabled,
  readable,
  fault,
}: Pick<z.infer<typeof credential>, 'enabled' | 'readable' | 'fault'>): string {
  if (!readable) return 'sealed with another master key'
  if (!enabled) return 'disabled'
  return fault === null ? 'enabled' : `at fault (${plain(fault.cause)})`
}
