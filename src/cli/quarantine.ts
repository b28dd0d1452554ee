import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { type CliContext, show } from './context.ts'
import { spanMs } from './span-ms.ts'
import { fields, plain, table } from './table.ts'
import { withAdmin } from './with-admin.ts'

const row = z.object({
  backend: z.string(),
  configured: z.boolean(),
  cause: z.string(),
  reason: z.string(),
  by: z.string(),
  since_ms: z.number(),
  until_ms: z.number().nullable(),
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
    .description('all that are out')
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
      const wish = { reason: flags.reason, ...(flags.for === undefined ? {} : { for_ms: flags.for }) }
      const answer = await withAdmin(context, command, (admin) => admin('PUT', pathOf(backend), wish))
      show(context, flags.json, answer, () => fields(rowFields(row.parse(answer))))
    })
  group
    .command('clear')
    .description('let a backend in again that an operator took out')
    .argument('<backend>', 'its id')
    .option('--json', 'print JSON')
    .action(async (backend: string, { json }: Flags, command: Command) => {
      const answer = await withAdmin(context, command, (admin) => admin('DELETE', pathOf(backend)))
      show(context, json, answer, () => `${plain(backend)} may be used again\n`)
    })
}

const pathOf = (backend: string): string => `/quarantine/${encodeURIComponent(backend)}`

function forMsOf(text: string): number {
  const forMs = spanMs(text)
  if (forMs === null || forMs === 0) throw new InvalidArgumentError('Write a span: 30s, 10m, 12h, 30d.')
  return forMs
}

const rowFields = ({
  backend,
  configured,
  cause,
  reason,
  by,
  since_ms,
  until_ms,
}: z.infer<typeof row>): [string, string][] => [
  ['backend', configured ? plain(backend) : `${plain(backend)} (not configured)`],
  ['cause', cause],
  ['by', plain(by)],
  ['since', timeText(since_ms)],
  ['until', until_ms === null ? 'cleared' : timeText(until_ms)],
  ['reason', plain(reason)],
]

const COLUMNS = ['backend', 'cause', 'by', 'since', 'until', 'reason'].map((name) => ({ name }))

function listText(answer: unknown): string {
  const rows = list.parse(answer).data.map((one) => rowFields(one).map(([, value]) => value))
  return table(COLUMNS, rows, 'no backend is quarantined')
}

const timeText = (ms: number): string => new Date(ms).toISOString()
