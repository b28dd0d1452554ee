import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { SCOPES, type Scope } from '../domain/index.ts'
import { type CliContext, show } from './context.ts'
import { listAll } from './list-all.ts'
import { pathSegment } from './path-segment.ts'
import { fields, plain, table } from './table.ts'
import { timeAhead } from './time-ahead.ts'
import { withAdmin } from './with-admin.ts'

const key = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(z.string()),
  state: z.string(),
  created_at_ms: z.number(),
  expires_at_ms: z.number().nullable(),
})
const newKey = key.extend({ secret: z.string() })

interface Flags {
  readonly json?: true
}

interface Wish extends Flags {
  readonly name: string
  readonly scopes: readonly Scope[]
  /** In ms since 1970. */
  readonly expires?: number
}

/** `management-keys create | list | revoke`. */
export function addManagementKeys(program: Command, context: CliContext): void {
  const group = program.command('management-keys').description('the secrets that open the admin API over the network')
  group
    .command('create')
    .description('make a management key; its secret is printed once and stored nowhere')
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--scopes <list>', 'what it may do: read, write, credits, separated by commas', scopesOf)
    .option('--expires <time>', 'when it ends: after a span (12h, 30d) or at a time (2027-01-31)', (text) =>
      timeAhead(text, context.terminal.clock.wallMs()),
    )
    .option('--json', 'print JSON')
    .action(async ({ json, name, scopes, expires }: Wish, command: Command) => {
      const wish = { name, scopes, expires_at_ms: expires }
      const answer = await withAdmin(context, command, (admin) => admin('POST', '/management-keys', wish))
      const made = newKey.parse(answer)
      show(context, json, answer, () => fields([...keyFields(made), ['secret', made.secret]]))
      if (!json) context.terminal.error('The secret is stored nowhere: keep it now.\n')
    })
  group
    .command('list')
    .description('all management keys')
    .option('--json', 'print JSON')
    .action(async ({ json }: Flags, command: Command) => {
      const list = await withAdmin(context, command, (admin) => listAll(admin, '/management-keys'))
      show(context, json, list, () => keysText(list.data))
    })
  group
    .command('revoke')
    .description('end a management key, for ever and at once')
    .argument('<key>', 'its id')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: Flags, command: Command) => {
      const path = `/management-keys/${pathSegment(id)}/revoke`
      const answer = await withAdmin(context, command, (admin) => admin('POST', path))
      show(context, json, answer, () => fields(keyFields(key.parse(answer))))
    })
}

function scopesOf(text: string): Scope[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.every(isScope) && new Set(names).size === names.length) return names
  throw new InvalidArgumentError(`Name some of ${SCOPES.join(', ')}, separated by commas, each once.`)
}

const isScope = (name: string): name is Scope => SCOPES.some((scope) => scope === name)

const keyFields = (row: z.infer<typeof key>): [string, string][] => [
  ['id', row.id],
  ['name', plain(row.name)],
  ['prefix', `${row.prefix}…`],
  ['scopes', row.scopes.join(',')],
  ['state', row.state],
  ['created', new Date(row.created_at_ms).toISOString()],
  ['expires', row.expires_at_ms === null ? 'never' : new Date(row.expires_at_ms).toISOString()],
]

const COLUMNS = ['id', 'name', 'prefix', 'scopes', 'state', 'created', 'expires'].map((name) => ({ name }))

const keysText = (data: readonly unknown[]): string =>
  table(
    COLUMNS,
    z
      .array(key)
      .parse(data)
      .map((row) => keyFields(row).map(([, value]) => value)),
    'no management keys',
  )
