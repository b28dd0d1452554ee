import type { AgentStats, Agents, Quantiles } from '../agents/index.ts'
import type { Family, PlainFamily } from '../telemetry/index.ts'

type Series = PlainFamily['series']
type Stats = readonly (readonly [backend: string, stats: AgentStats])[]

const US_PER_S = 1_000_000

/** How the ways to the backends are doing. */
export function pathGauges(agents: Pick<Agents, 'stats'>): readonly Family[] {
  const stats = [...agents.stats()]
  return [
    {
      type: 'counter',
      name: 'anyrouter_backend_requests_total',
      help: 'Requests sent to a backend, by the connection they found.',
      series: split(stats, 'connection', ({ requestsSent, requestsOnKept }) => [
        ['kept', requestsOnKept],
        ['new', requestsSent - requestsOnKept],
      ]),
    },
    {
      type: 'counter',
      name: 'anyrouter_pings_total',
      help: 'Pings of idle connections.',
      series: split(stats, 'result', ({ path: { pings, pingsFailed } }) => [
        ['answered', pings - pingsFailed],
        ['failed', pingsFailed],
      ]),
    },
    {
      type: 'gauge',
      name: 'anyrouter_learned_idle_seconds',
      help: 'How long a backend leaves idle connections open, learned from its closes.',
      series: stats.flatMap(([backend, { path }]) =>
        path.learnedIdleMs === null ? [] : [{ labels: { backend }, value: path.learnedIdleMs / 1000 }],
      ),
    },
    quantiles(
      'anyrouter_connect_seconds',
      'Name, connect and TLS of the last connections.',
      stats,
      (path) => path.connect,
    ),
    quantiles(
      'anyrouter_first_byte_seconds',
      'From the last byte of a request to the first of its answer, of the last requests.',
      stats,
      (path) => path.firstByte,
    ),
  ]
}

const split = (stats: Stats, label: string, parts: (one: AgentStats) => readonly [string, number][]): Series =>
  stats.flatMap(([backend, one]) => parts(one).map(([part, value]) => ({ labels: { backend, [label]: part }, value })))

function quantiles(
  name: string,
  help: string,
  stats: Stats,
  of: (path: AgentStats['path']) => Quantiles | null,
): Family {
  const series = stats.flatMap(([backend, { path }]) => {
    const known = of(path)
    if (known === null) return []
    return [
      { labels: { backend, quantile: '0.5' }, value: known.p50Us / US_PER_S },
      { labels: { backend, quantile: '0.95' }, value: known.p95Us / US_PER_S },
    ]
  })
  return { type: 'gauge', name, help, series }
}
