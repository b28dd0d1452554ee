import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { type CliContext, show } from './context.ts'
import { listAll } from './list-all.ts'
import { fields, plain, table } from './table.ts'
import { withAdmin } from './with-admin.ts'

const key = z.object({
  id: z.string(),
  account_id: z.string(),
  name: z.string(),
  prefix: z.string(),
  models: z.array(z.string()).nullable(),
  revoked: z.boolean(),
})
const newKey = key.extend({ secret: z.string() })

interface Flags {
  readonly json?: true
}

/** `keys create | list | revoke`. */
export function addKeys(program: Command, context: CliContext): void {
  const group = program.command('keys').description('the secrets that clients show')
  group
    .command('create')
    .description('make a key; its secret is printed once and stored nowhere')
    .requiredOption('--account <account>', 'who pays: id or name')
    .requiredOption('--name <name>', 'what it is for')
    .option('--models <list>', 'the models it may use, separated by commas (default: all)', modelsOf)
    .option('--json', 'print JSON')
    .action(async (flags: Flags & { account: string; name: string; models?: string[] }, command: Command) => {
      const { account, name, models } = flags
      const wish = { account, name, ...(models === undefined ? {} : { models }) }
      const answer = await withAdmin(context, command, (admin) => admin('POST', '/keys', wish))
      show(context, flags.json, answer, () => newKeyText(answer))
      if (!flags.json) context.terminal.error('The secret is stored nowhere: keep it now.\n')
    })
  group
    .command('list')
    .description('all keys, or those of one account')
    .option('--account <account>', 'id or name')
    .option('--json', 'print JSON')
    .action(async (flags: Flags & { account?: string }, command: Command) => {
      const query: Record<string, string> = flags.account === undefined ? {} : { account: flags.account }
      const list = await withAdmin(context, command, (admin) => listAll(admin, '/keys', query))
      show(context, flags.json, list, () => keysText(list.data))
    })
  group
    .command('revoke')
    .description('end a key, for ever and at once')
    .argument('<key>', 'its id')
    .option('--json', 'print JSON')
    .action(async (id: string, flags: Flags, command: Command) => {
      const answer = await withAdmin(context, command, (admin) =>
        admin('POST', `/keys/${encodeURIComponent(id)}/revoke`),
      )
      show(context, flags.json, answer, () => fields(keyFields(key.parse(answer))))
    })
}

function modelsOf(text: string): string[] {
  const models = text.split(',').map((model) => model.trim())
  if (models.some((model) => model === '')) throw new InvalidArgumentError('Separate models by single commas.')
  return models
}

function newKeyText(answer: unknown): string {
  const made = newKey.parse(answer)
  return fields([...keyFields(made), ['secret', made.secret]])
}

const keyFields = ({ id, account_id, name, prefix, models, revoked }: z.infer<typeof key>): [string, string][] => [
  ['id', id],
  ['account', account_id],
  ['name', plain(name)],
  ['prefix', `${prefix}…`],
  ['models', modelsText(models)],
  ['state', stateOf(revoked)],
]

const COLUMNS = ['id', 'account', 'name', 'prefix', 'models', 'state'].map((name) => ({ name }))

function keysText(data: readonly unknown[]): string {
  const rows = z.array(key).parse(data)
  return table(
    COLUMNS,
    rows.map((row) => keyFields(row).map(([, value]) => value)),
    'no keys',
  )
}

const modelsText = (models: readonly string[] | null): string => (models === null ? 'all' : models.map(plain).join(','))

const stateOf = (revoked: boolean): string => (revoked ? 'revoked' : 'active')
