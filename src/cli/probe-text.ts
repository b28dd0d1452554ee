import { z } from 'zod'
import { plain, table } from './table.ts'

const NONE = '-'

const probe = z.object({
  backend: z.string(),
  credentials: z.array(
    z.object({
      credential: z.string().nullable(),
      verdict: z.string(),
      status: z.number().nullable(),
      took_us: z.number().nullable(),
      message: z.string().nullable(),
    }),
  ),
})

/** What a backend says to each credential. `failure`: at least one is not taken. */
export function probeText(answer: unknown): { readonly text: string; readonly failure: string | null } {
  const { backend, credentials } = probe.parse(answer)
  const rows = credentials.map((one) => [
    plain(one.credential ?? '(none)'),
    one.verdict,
    one.status === null ? NONE : String(one.status),
    one.took_us === null ? NONE : (one.took_us / 1000).toFixed(2),
    plain(one.message ?? ''),
  ])
  const bad = credentials.filter(({ verdict }) => verdict === 'denied' || verdict === 'failing')
  const failure = bad.length === 0 ? null : `${plain(backend)}: ${bad.length} of ${credentials.length} not taken`
  return { text: table(PROBE_COLUMNS, rows, ''), failure }
}

const PROBE_COLUMNS = [
  { name: 'credential' },
  { name: 'verdict' },
  { name: 'status', right: true },
  { name: 'ms', right: true },
  { name: 'message' },
]
