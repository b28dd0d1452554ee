const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const SPAN = /^(\d{1,6})([smhd])$/
const MOMENT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2}))?$/

/** A span of time as a person writes it (`30s`, `10m`, `12h`, `30d`), in ms; null for anything else. */
export function spanMs(text: string): number | null {
  const span = SPAN.exec(text)
  return span === null ? null : Number(span[1]) * (UNITS_MS[span[2] ?? ''] ?? 0)
}

/** A day in UTC (`2027-01-31`) or a moment with its zone (`2027-01-31T12:00:00Z`), in ms since 1970; null for anything else. */
export function momentMs(text: string): number | null {
  const atMs = MOMENT.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(atMs) ? null : atMs
}
