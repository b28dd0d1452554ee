import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { type CliContext, show } from './context.ts'
import { plain, table } from './table.ts'
import { withAdmin } from './with-admin.ts'

const page = z.object({
  data: z.array(
    z.object({
      seq: z.number(),
      at_ms: z.number(),
      actor: z.string(),
      action: z.string(),
      subject: z.string(),
      details: z.record(z.string(), z.unknown()),
    }),
  ),
  next: z.string().nullable(),
})

interface Flags {
  readonly subject?: string
  readonly action?: string
  readonly limit: number
  readonly after?: string
  readonly json?: true
}

const ROWS_DEFAULT = 50
const ROWS_MAX = 200

/** `audit`: who changed what, newest first, a page at a time. */
export function addAudit(program: Command, context: CliContext): void {
  program
    .command('audit')
    .description('who changed what, newest first')
    .option('--subject <id>', 'only changes of this account, key or backend')
    .option('--action <action>', 'only changes of this kind, such as key.revoke')
    .option('--limit <rows>', `how many rows, 1 to ${ROWS_MAX}`, rowsOf, ROWS_DEFAULT)
    .option('--after <cursor>', "the cursor that the page before ended with ('next' in JSON)")
    .option('--json', 'print JSON')
    .action(async ({ json, ...wish }: Flags, command: Command) => {
      const words = new URLSearchParams()
      for (const [name, value] of Object.entries(wish)) words.set(name, String(value))
      const answer = await withAdmin(context, command, (admin) => admin('GET', `/audit?${words}`))
      const { data, next } = page.parse(answer)
      show(context, json, answer, () => rowsText(data))
      if (!json && next !== null) context.terminal.error(`There are older rows: --after ${next}\n`)
    })
}

function rowsOf(text: string): number {
  const rows = Number(text)
  if (/^\d+$/.test(text) && rows >= 1 && rows <= ROWS_MAX) return rows
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${ROWS_MAX}.`)
}

const COLUMNS = ['seq', 'time', 'actor', 'action', 'subject', 'details'].map((name) => ({
  name,
  right: name === 'seq',
}))

const rowsText = (rows: z.infer<typeof page>['data']): string =>
  table(
    COLUMNS,
    rows.map(({ seq, at_ms, actor, action, subject, details }) => [
      String(seq),
      new Date(at_ms).toISOString(),
      plain(actor),
      action,
      plain(subject),
      plain(detailsText(details)),
    ]),
    'no changes',
  )

/** What is null says nothing. */
const detailsText = (details: Readonly<Record<string, unknown>>): string =>
  Object.entries(details)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
