import { DAY_MS } from '../lib/index.ts'

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS }
const SPAN = /^(\d{1,6})([smhd])$/

/** A span of time as a person writes it (`30s`, `10m`, `12h`, `30d`), in ms; null for anything else. */
export function spanMs(text: string): number | null {
  const span = SPAN.exec(text)
  return span === null ? null : Number(span[1]) * (UNITS_MS[span[2] ?? ''] ?? 0)
}
