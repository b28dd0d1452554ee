import type { Command } from 'commander'
import { z } from 'zod'
import { type CliContext, show, WAYS_ON } from './context.ts'
import { plain, table } from './table.ts'
import { withAdmin } from './with-admin.ts'

const backend = z.object({
  id: z.string(),
  url: z.string(),
  provider: z.string(),
  region: z.string().nullable(),
  dialects: z.array(z.string()),
  enabled: z.boolean(),
  slots: z.number(),
  slots_busy: z.number(),
  connections_open: z.number(),
  connections_idle: z.number(),
  health: z.string(),
  quarantine: z.object({ cause: z.string(), until_ms: z.number().nullable() }).nullable(),
  models: z.array(z.string()),
})
const list = z.object({ data: z.array(backend) })

/** `backends list`. */
export function addBackends(program: Command, context: CliContext): void {
  const group = program.command('backends').description('where requests can be sent')
  group
    .command('list')
    .description('all backends: what each offers, and how it is doing now')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }, command: Command) => {
      const answer = await withAdmin(context, command, (admin) => admin('GET', '/backends'), 'made')
      show(context, json, answer, () => listText(answer))
    })
}

const COLUMNS = [
  { name: 'backend' },
  { name: 'provider' },
  { name: 'url' },
  { name: 'region' },
  { name: 'dialects' },
  { name: 'busy', right: true },
  { name: 'open', right: true },
  { name: 'idle', right: true },
  { name: 'models', right: true },
  { name: 'state' },
]

function listText(answer: unknown): string {
  const rows = list
    .parse(answer)
    .data.map((one) => [
      plain(one.id),
      plain(one.provider),
      plain(one.url),
      plain(one.region ?? '-'),
      one.dialects.join(','),
      `${one.slots_busy}/${one.slots}`,
      String(one.connections_open),
      String(one.connections_idle),
      String(one.models.length),
      stateOf(one),
    ])
  return table(COLUMNS, rows, `no backends yet: ${WAYS_ON}`)
}

function stateOf({ enabled, health, quarantine }: z.infer<typeof backend>): string {
  if (!enabled) return 'disabled'
  if (health === 'half_open') return 'half-open: one request at a time tries it'
  if (quarantine === null) return 'up'
  const end = quarantine.until_ms === null ? 'it is cleared' : new Date(quarantine.until_ms).toISOString()
  return `quarantined (${quarantine.cause}) until ${end}`
}
