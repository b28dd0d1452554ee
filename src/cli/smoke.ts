import type { Command } from 'commander'
import { z } from 'zod'
import type { Client } from './client.ts'
import type { CliContext } from './context.ts'
import { counted } from './counted.ts'
import { dollars } from './dollars.ts'
import { CommandFailure, EXIT } from './exit.ts'
import { pathSegment } from './path-segment.ts'
import { plain, table } from './table.ts'
import { withAdmin } from './with-admin.ts'

interface Flags {
  readonly backend?: string
  readonly model?: string
  readonly json?: true
}

/** `smoke`: small real requests through each backend, by the gateway's own pipeline; exit 1 when one does not end as it should. */
export function addSmoke(program: Command, context: CliContext): void {
  program
    .command('smoke')
    .description(
      'small real requests through each backend: plain, stream, hang-up, several at once; they cost a little',
    )
    .option('--backend <backend>', 'this backend alone (default: each that is enabled)')
    .option('--model <model>', 'the model or an alias of it (default: the cheapest that each offers)')
    .option('--json', 'print JSON')
    .action(async (flags: Flags, command: Command) => {
      const isWell = await withAdmin(context, command, (admin) => smokeAll(context, admin, flags), 'needed', 'needed')
      if (!isWell) context.exitCode = EXIT.failed
    })
}

const timing = z.object({ gw_us: z.number(), upstream_us: z.number(), post_us: z.number(), ended_us: z.number() })
const probe = z.object({
  kind: z.string(),
  ok: z.boolean(),
  status: z.number().nullable(),
  outcome: z.string().nullable(),
  connection: z.string().nullable(),
  timing: timing.nullable(),
  cost_usd: z.string().nullable(),
  cost_nano: z.number().nullable(),
  message: z.string(),
  advice: z.string().nullable(),
})
const report = z.object({ backend: z.string(), model: z.string().nullable(), ok: z.boolean(), probes: z.array(probe) })
const backendList = z.object({ data: z.array(z.object({ id: z.string(), enabled: z.boolean() })) })
const plan = z.object({
  router: z.string().nullable(),
  candidates: z.array(z.object({ backend: z.string(), model: z.string() })),
})

type Report = z.output<typeof report>

/** Backend by backend, each told as soon as it is done. */
async function smokeAll({ terminal }: CliContext, admin: Client, { backend, model, json }: Flags): Promise<boolean> {
  const asked = backend === undefined ? await backendsOf(admin, model) : [{ backend, model }]
  const answers: unknown[] = []
  const reports: Report[] = []
  for (const one of asked) {
    const answer = await admin('POST', `/backends/${pathSegment(one.backend)}/smoke`, { model: one.model })
    const told = report.parse(answer)
    answers.push(answer)
    reports.push(told)
    if (json !== true) terminal.out(reportText(told))
  }
  const isWell = reports.every(({ ok }) => ok)
  terminal.out(json === true ? `${JSON.stringify({ ok: isWell, backends: answers }, null, 2)}\n` : sumText(reports))
  return isWell
}

interface Asked {
  readonly backend: string
  /** Undefined: the cheapest that it offers. */
  readonly model: string | undefined
}

/**
 * Those that are enabled; with a model those that would be tried for it, each once: of a router model with the first model that would be tried
 * there. Throws `CommandFailure` when there are none.
 */
async function backendsOf(admin: Client, model: string | undefined): Promise<readonly Asked[]> {
  if (model !== undefined) {
    const { router, candidates } = plan.parse(await admin('POST', '/route', { model }))
    if (candidates.length === 0)
      throw new CommandFailure(`no backend would be tried for ${model}: see anyrouter route --model ${model}.`)
    const byBackend = Map.groupBy(candidates, ({ backend }) => backend)
    return [...byBackend].map(([backend, [first]]) => ({ backend, model: router === null ? model : first?.model }))
  }
  const { data } = backendList.parse(await admin('GET', '/backends'))
  const enabled = data.flatMap(({ id, enabled: isOn }) => (isOn ? [{ backend: id, model: undefined }] : []))
  if (enabled.length > 0) return enabled
  throw new CommandFailure('no backend is configured and enabled: nothing was sent.')
}

const COLUMNS = [
  { name: 'request' },
  { name: 'status', right: true },
  { name: 'outcome' },
  { name: 'connection' },
  { name: 'gw ms', right: true },
  { name: 'upstream ms', right: true },
  { name: 'post ms', right: true },
  { name: 'end ms', right: true },
  { name: 'cost', right: true },
  { name: '' },
]
const US_PER_MS = 1000

function reportText({ backend, model, probes }: Report): string {
  const rows = probes.map((one) => [
    one.kind.replace('_', '-'),
    one.status === null ? '-' : String(one.status),
    one.outcome ?? '-',
    one.connection ?? '-',
    inMs(one.timing?.gw_us),
    inMs(one.timing?.upstream_us),
    inMs(one.timing?.post_us),
    inMs(one.timing?.ended_us),
    one.cost_usd === null ? '-' : dollars(one.cost_usd),
    `${one.ok ? '' : 'FAILED: '}${plain(one.message)}`,
  ])
  const advice = [...new Set(probes.flatMap((one) => one.advice ?? []))].map((text) => `  ${plain(text)}\n`)
  const nothing = 'it offers no model: add an offer of this backend, or disable it'
  return `${plain(backend)}  ${model === null ? '' : plain(model)}\n${table(COLUMNS, rows, nothing)}${advice.join('')}\n`
}

const inMs = (us: number | undefined): string => (us === undefined ? '-' : (us / US_PER_MS).toFixed(2))

const NANO_PER_USD = 1_000_000_000

function sumText(reports: readonly Report[]): string {
  const probes = reports.flatMap((one) => one.probes)
  const failed = reports.filter(({ ok }) => !ok).map(({ backend }) => plain(backend))
  const nano = probes.reduce((sum, { cost_nano }) => sum + (cost_nano ?? 0), 0)
  const verdict = failed.length === 0 ? 'all well' : `not well: ${failed.join(', ')}`
  return `${counted(reports.length, 'backend')}, ${counted(probes.length, 'request')}, $${(nano / NANO_PER_USD).toFixed(6)}: ${verdict}\n`
}
