import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { type CliContext, show } from './context.ts'
import { pathSegment } from './path-segment.ts'
import { spanMs } from './span-ms.ts'
import { fields, plain, table } from './table.ts'
import { withAdmin } from './with-admin.ts'

const cause = z.object({
  cause: z.string(),
  reason: z.string(),
  by: z.string().nullable(),
  credential: z.string().nullable(),
  account: z.string().nullable(),
  since_ms: z.number(),
  until_ms: z.number().nullable(),
})
const row = z.object({
  backend: z.string(),
  configured: z.boolean(),
  state: z.string(),
  causes: z.array(cause),
})
const list = z.object({ data: z.array(row) })

interface Flags {
  readonly json?: true
}

/** `quarantine list | set | clear`. */
export function addQuarantine(program: Command, context: CliContext): void {
  const group = program.command('quarantine').description('backends that are sent nothing for now, and why')
  group
    .command('list')
    .description('all that something speaks against: out, or half-open until a request proves them')
    .option('--json', 'print JSON')
    .action(async ({ json }: Flags, command: Command) => {
      const answer = await withAdmin(context, command, (admin) => admin('GET', '/quarantine'))
      show(context, json, answer, () => listText(answer))
    })
  group
    .command('set')
    .description('send a backend nothing from now on; what is in progress there goes on')
    .argument('<backend>', 'its id')
    .requiredOption('--reason <text>', 'why, for other operators; callers never see it')
    .option('--for <span>', 'how long: 30s, 10m, 12h, 30d (default: until it is cleared)', forMsOf)
    .option('--json', 'print JSON')
    .action(async (backend: string, flags: Flags & { reason: string; for?: number }, command: Command) => {
      const wish = { reason: flags.reason, for_ms: flags.for }
      const answer = await withAdmin(context, command, (admin) => admin('PUT', pathOf(backend), wish))
      show(context, flags.json, answer, () => setText(answer))
    })
  group
    .command('clear')
    .description('let a backend in again, whatever keeps it out')
    .argument('<backend>', 'its id')
    .option('--json', 'print JSON')
    .action(async (backend: string, { json }: Flags, command: Command) => {
      const answer = await withAdmin(context, command, (admin) => admin('DELETE', pathOf(backend)))
      show(context, json, answer, () => `${plain(backend)} may be used again\n`)
    })
}

const pathOf = (backend: string): string => `/quarantine/${pathSegment(backend)}`

function forMsOf(text: string): number {
  const forMs = spanMs(text)
  if (forMs === null || forMs === 0) throw new InvalidArgumentError('Write a span: 30s, 10m, 12h, 30d.')
  return forMs
}

const COLUMNS = ['backend', 'state', 'cause', 'by', 'since', 'until', 'reason'].map((name) => ({ name }))

function listText(answer: unknown): string {
  const rows = list.parse(answer).data.flatMap((one) => one.causes.map((why) => cellsOf(one, why)))
  return table(COLUMNS, rows, 'no backend is quarantined')
}

/** The operator's own order, field by field. */
function setText(answer: unknown): string {
  const one = row.parse(answer)
  const why = one.causes.find(({ cause: name }) => name === 'operator')
  if (why === undefined) return `${plain(one.backend)} was cleared meanwhile\n`
  const cells = cellsOf(one, why)
  return fields(COLUMNS.map(({ name }, at): [string, string] => [name, cells[at] ?? '']))
}

function cellsOf({ backend, configured, state }: z.infer<typeof row>, why: z.infer<typeof cause>): string[] {
  return [
    configured ? plain(backend) : `${plain(backend)} (not configured)`,
    state.replace('_', '-'),
    why.cause.replace('_', ' '),
    plain(why.by ?? why.credential ?? why.account ?? '-'),
    timeText(why.since_ms),
    why.until_ms === null ? 'cleared' : timeText(why.until_ms),
    plain(why.reason),
  ]
}

const timeText = (ms: number): string => new Date(ms).toISOString()
