import { InvalidArgumentError } from 'commander'
import { momentMs } from '../lib/index.ts'
import { spanMs } from './span-ms.ts'

/** A time gone by as a person writes it, in ms since 1970: a span before now, a day or a moment. Throws `InvalidArgumentError` for anything else. */
export function timeBack(text: string, nowMs: number): number {
  const span = spanMs(text)
  const atMs = span === null ? momentMs(text) : Math.max(0, nowMs - span)
  if (atMs === null)
    throw new InvalidArgumentError('Write a span (12h, 7d), a day (2026-07-31) or a time (2026-07-31T12:00:00Z).')
  return atMs
}
