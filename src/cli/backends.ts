import type { Command } from 'commander'
import { z } from 'zod'
import { type CliContext, show, WAYS_ON } from './context.ts'
import { CommandFailure } from './exit.ts'
import { pathSegment } from './path-segment.ts'
import { pathText } from './path-text.ts'
import { pingText } from './ping-text.ts'
import { probeText } from './probe-text.ts'
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
  path: z
    .object({ reused_percent: z.number().nullable(), first_byte: z.object({ p50_us: z.number() }).nullable() })
    .nullable(),
  health: z.string(),
  quarantine: z.object({ cause: z.string(), until_ms: z.number().nullable() }).nullable(),
  observed: z
    .object({
      first_content_ms: z.object({ p50: z.number(), p95: z.number() }).nullable(),
      tokens_per_second: z.object({ p50: z.number() }).nullable(),
      success_rate: z.object({ last_30m: z.number().nullable() }),
    })
    .nullable(),
  models: z.array(z.string()),
})
const list = z.object({ data: z.array(backend) })

/** `backends list | show | ping | probe`. */
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
  group
    .command('show')
    .description('how the way to one is doing: connections, reuse, resends, pings, times')
    .argument('<backend>', 'its id')
    .option('--json', 'print JSON')
    .action(async (backend: string, { json }: { json?: true }, command: Command) => {
      const path = `/backends/${pathSegment(backend)}`
      const answer = await withAdmin(context, command, (admin) => admin('GET', path), 'made')
      show(context, json, answer, () => pathText(answer))
    })
  addCheck(group, context, {
    name: 'ping',
    about: 'how long the way there takes, on a new connection and on a kept one; no tokens',
    secrets: 'unneeded',
    text: pingText,
  })
  addCheck(group, context, {
    name: 'probe',
    about: 'what it says to each credential of its provider; no tokens',
    secrets: 'needed', // it would be asked with an empty one, and deny that
    text: probeText,
  })
}

interface Check {
  readonly name: 'ping' | 'probe'
  readonly about: string
  /** Without a server: whether it can be asked without the providers' secrets. */
  readonly secrets: 'needed' | 'unneeded'
  readonly text: (answer: unknown) => { readonly text: string; readonly failure: string | null }
}

function addCheck(group: Command, context: CliContext, { name, about, secrets, text }: Check): void {
  group
    .command(name)
    .description(about)
    .argument('<backend>', 'its id')
    .option('--json', 'print JSON')
    .action(async (backend: string, { json }: { json?: true }, command: Command) => {
      const path = `/backends/${pathSegment(backend)}/${name}`
      const answer = await withAdmin(context, command, (admin) => admin('POST', path), 'made', secrets)
      const said = text(answer)
      show(context, json, answer, () => said.text)
      if (said.failure !== null) throw new CommandFailure(said.failure)
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
  { name: 'reused', right: true },
  { name: 'first byte', right: true },
  { name: 'first content', right: true },
  { name: 'tokens/s', right: true },
  { name: 'success', right: true },
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
      reusedText(one.path?.reused_percent ?? null),
      firstByteText(one.path?.first_byte?.p50_us ?? null),
      ...observedTexts(one.observed),
      String(one.models.length),
      stateOf(one),
    ])
  return table(COLUMNS, rows, `no backends yet: ${WAYS_ON}`)
}

const reusedText = (percent: number | null): string => (percent === null ? '-' : `${Math.round(percent)}%`)
const firstByteText = (us: number | null): string => (us === null ? '-' : `${(us / 1000).toFixed(1)} ms`)

/** Times as `median / 95th percentile`. */
function observedTexts(observed: z.infer<typeof backend>['observed']): readonly string[] {
  const first = observed?.first_content_ms ?? null
  const speed = observed?.tokens_per_second ?? null
  const rate = observed?.success_rate.last_30m ?? null
  return [
    first === null ? '-' : `${Math.round(first.p50)} / ${Math.round(first.p95)} ms`,
    speed === null ? '-' : speed.p50.toFixed(1),
    rate === null ? '-' : `${Math.floor(rate * 1000) / 10}%`, // one failure of many is not 100 %
  ]
}

function stateOf({ enabled, health, quarantine }: z.infer<typeof backend>): string {
  if (!enabled) return 'disabled'
  if (health === 'half_open') return 'half-open: one request at a time tries it'
  if (quarantine === null) return 'up'
  const end = quarantine.until_ms === null ? 'it is cleared' : new Date(quarantine.until_ms).toISOString()
  return `quarantined (${quarantine.cause}) until ${end}`
}
