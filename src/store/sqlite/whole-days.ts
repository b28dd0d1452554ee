import type { Database } from 'bun:sqlite'
import { DAY_MS } from '../../lib/index.ts'
import type { UsageQuery } from '../backends-contract.ts'
import { firstOfMonth, nextFirstOfMonth } from './months.ts'

/** Days since 1970, up to `last`, without it. */
export interface Days {
  readonly first: number
  readonly last: number
}

export interface WholeDays extends Days {
  /** From the first of a month to the first of another: these months have no settlement on a day that is not one of the whole ones. Null for none. */
  readonly months: Days | null
}

/**
 * The days, of those that have settlements, that a time takes in whole. Days are whole when nothing of them that was followed lies outside of the
 * time: today is, up to now.
 */
export function wholeDays(ledger: Database, { sinceMs, untilMs }: UsageQuery, followed: number): WholeDays {
  const some = ledger.prepare<unknown, [number, number, number]>(
    'SELECT 1 FROM settlement INDEXED BY settlement_by_end WHERE ended_at_ms >= ? AND ended_at_ms < ? AND seq <= ? LIMIT 1',
  )
  const dayBefore = Math.floor(sinceMs / DAY_MS)
  const isFirstWhole = some.get(dayBefore * DAY_MS, sinceMs, followed) === null
  const dayAfter = Math.ceil(untilMs / DAY_MS)
  const isLastWhole = some.get(untilMs, dayAfter * DAY_MS, followed) === null
  const ends = settledDays(ledger)
  // Whoever asks from the beginning to the end of time is not made to wait for days without settlements.
  const first = Math.max(isFirstWhole ? dayBefore : dayBefore + 1, ends.first)
  const last = Math.min(isLastWhole ? dayAfter : dayAfter - 1, ends.last)
  return { first, last, months: monthsOf({ first, last }, ends) }
}

/** From the day of the first settlement to that of the last. */
function settledDays(ledger: Database): Days {
  const ends = ledger.prepare<{ first: bigint | null; last: bigint | null }, []>(
    'SELECT (SELECT min(ended_at_ms) FROM settlement) AS first, (SELECT max(ended_at_ms) FROM settlement) AS last',
  )
  const { first, last } = ends.get() ?? { first: null, last: null }
  return { first: Math.floor(Number(first ?? 0n) / DAY_MS), last: Math.floor(Number(last ?? 0n) / DAY_MS) + 1 }
}

/** What a month lacks before the first settlement of all, or after the last, is nothing: the running one is told by its row. */
function monthsOf(days: Days, ends: Days): Days | null {
  const first = days.first === ends.first ? firstOfMonth(days.first) : nextFirstOfMonth(days.first)
  const last = days.last === ends.last ? nextFirstOfMonth(days.last) : firstOfMonth(days.last)
  return first < last ? { first, last } : null
}
