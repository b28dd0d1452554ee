import { z } from 'zod'
import { fields, plain } from './table.ts'

const quantiles = z.object({ p50_us: z.number(), p95_us: z.number() }).nullable()
const backend = z.object({
  id: z.string(),
  url: z.string(),
  slots: z.number(),
  slots_busy: z.number(),
  waiters: z.number(),
  connections_open: z.number(),
  connections_idle: z.number(),
  path: z
    .object({
      kept_warm: z.boolean(),
      requests_sent: z.number(),
      reused_percent: z.number().nullable(),
      resends: z.number(),
      pings: z.number(),
      pings_failed: z.number(),
      ping_state: z.string(),
      last_ping: z
        .object({ at_ms: z.number(), result: z.string(), status: z.number().nullable(), took_us: z.number() })
        .nullable(),
      learned_idle_ms: z.number().nullable(),
      connect: quantiles,
      first_byte: quantiles,
    })
    .nullable(),
})
type Path = NonNullable<z.infer<typeof backend>['path']>

/** How the way to one backend is doing, a line for each figure. */
export function pathText(answer: unknown): string {
  const { id, url, slots, slots_busy: busy, waiters, path, ...connections } = backend.parse(answer)
  const { connections_open: open, connections_idle: idle } = connections
  return fields([
    ['backend', plain(id)],
    ['url', plain(url)],
    ['slots', `${busy} of ${slots} taken, ${waiters} waiting`],
    ['connections', `${open} open: ${open - idle} busy, ${idle} idle`],
    ...(path === null ? [UNUSED] : pathFields(path)),
  ])
}

const UNUSED: [string, string] = ['requests', 'none yet']

const pathFields = (path: Path): [string, string][] => [
  ['kept warm', path.kept_warm ? 'yes' : 'no'],
  ['requests', `${path.requests_sent}, ${path.reused_percent ?? 0}% on kept connections, ${path.resends} sent twice`],
  ['pings', `${path.pings}, ${path.pings_failed} failed, ${path.ping_state}`],
  ['last ping', lastPingText(path.last_ping)],
  [
    'idle life',
    path.learned_idle_ms === null ? 'nothing learned' : `learned: ${(path.learned_idle_ms / 1000).toFixed(1)} s`,
  ],
  ['connect', quantilesText(path.connect)],
  ['first byte', quantilesText(path.first_byte)],
]

function lastPingText(last: Path['last_ping']): string {
  if (last === null) return 'none yet'
  const status = last.status === null ? '' : ` with ${last.status}`
  return `${last.result}${status} after ${inMs(last.took_us)} at ${new Date(last.at_ms).toISOString()}`
}

const quantilesText = (known: z.infer<typeof quantiles>): string =>
  known === null ? 'none yet' : `median ${inMs(known.p50_us)}, 95 % within ${inMs(known.p95_us)}`

const inMs = (us: number): string => `${(us / 1000).toFixed(1)} ms`
