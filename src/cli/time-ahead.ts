import { InvalidArgumentError } from 'commander'
import { momentMs } from '../lib/index.ts'
import { spanMs } from './span-ms.ts'

/** A time to come as a person writes it, in ms since 1970: a span from now, a day or a moment. Throws `InvalidArgumentError` for anything else. */
export function timeAhead(text: string, nowMs: number): number {
  const span = spanMs(text)
  const atMs = span === null ? momentMs(text) : nowMs + span
  if (atMs === null)
    throw new InvalidArgumentError('Write a span (10m, 12h, 30d), a day (2027-01-31) or a time (2027-01-31T12:00:00Z).')
  return atMs
}
