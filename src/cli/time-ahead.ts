import { InvalidArgumentError } from 'commander'

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const SPAN = /^(\d{1,6})([smhd])$/
const MOMENT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2}))?$/

/**
 * A time to come as a person writes it, in ms since 1970: a span from now (`30s`, `10m`, `12h`, `30d`), a day in UTC (`2027-01-31`) or a
 * moment with its zone (`2027-01-31T12:00:00Z`). Throws `InvalidArgumentError` for anything else.
 */
export function timeAhead(text: string, nowMs: number): number {
  const span = SPAN.exec(text)
  if (span !== null) return nowMs + Number(span[1]) * (UNITS_MS[span[2] ?? ''] ?? 0)
  const atMs = MOMENT.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(atMs))
    throw new InvalidArgumentError('Write a span (10m, 12h, 30d), a day (2027-01-31) or a time (2027-01-31T12:00:00Z).')
  return atMs
}
