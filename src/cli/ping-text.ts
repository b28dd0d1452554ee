import { z } from 'zod'
import { plain, table } from './table.ts'

const us = z.number().nullable()
const call = z.union([
  z.object({
    kind: z.literal('answered'),
    status: z.number(),
    took_us: z.number(),
    timing: z.object({
      dns_us: us,
      connect_us: us,
      tls_us: us,
      write_us: us,
      first_byte_us: us,
      connection: z.string(),
    }),
  }),
  z.object({ kind: z.literal('unanswered'), reason: z.string(), message: z.string() }),
])
type Call = z.infer<typeof call>
const ping = z.object({ backend: z.string(), new: call, kept: call.nullable() })

/** New and kept connection side by side. `failure`: why there are no figures, or only those of the first. */
export function pingText(answer: unknown): { readonly text: string; readonly failure: string | null } {
  const { backend, new: fresh, kept } = ping.parse(answer)
  const rows = ROWS.map(([name, cell]) => [name, cell(fresh), cell(kept)])
  const failed = [fresh, kept].find((one) => one?.kind === 'unanswered')
  const failure = failed?.kind === 'unanswered' ? `${plain(backend)}: ${failed.reason}: ${plain(failed.message)}` : null
  return { text: fresh.kind === 'answered' ? table(COLUMNS, rows, '') : '', failure }
}

const COLUMNS = [{ name: 'ms' }, { name: 'new', right: true }, { name: 'kept', right: true }]
const NONE = '-'

type Timing = Extract<Call, { kind: 'answered' }>['timing']

const timed =
  (of: (timing: Timing) => number | null) =>
  (one: Call | null): string =>
    one?.kind === 'answered' ? inMs(of(one.timing)) : NONE

const ROWS: readonly (readonly [name: string, cell: (one: Call | null) => string])[] = [
  ['name', timed(({ dns_us }) => dns_us)],
  ['connect', timed(({ connect_us }) => connect_us)],
  ['tls', timed(({ tls_us }) => tls_us)],
  ['first byte', timed(({ first_byte_us }) => first_byte_us)],
  ['in all', (one) => (one?.kind === 'answered' ? inMs(one.took_us) : NONE)],
  ['status', (one) => (one?.kind === 'answered' ? String(one.status) : NONE)],
  ['connection', (one) => (one?.kind === 'answered' ? one.timing.connection : NONE)],
]

const inMs = (value: number | null): string => (value === null ? NONE : (value / 1000).toFixed(2))
