import type { Database } from 'bun:sqlite'

interface Sum {
  readonly of: string
  readonly sum: bigint
}

const ROWS_AT_ONCE = 1000n
const LARGEST = BigInt(Number.MAX_SAFE_INTEGER) // where a day's sum stays

/**
 * Compares what keys spent with the settlements: by key over all days, and by day over all keys. By both at once it would take memory for
 * every pair. A day that has reached the largest number is compared no further.
 */
export async function compareSpend(ledger: Database, find: Find, pause: () => Promise<void>): Promise<void> {
  const full = ledger.prepare<{ key_id: string; day: bigint }, [bigint]>('SELECT * FROM key_spend WHERE charged >= ?')
  const uncounted = full.all(LARGEST)
  const skipKeys = new Set(uncounted.map(({ key_id }) => key_id))
  const skipDays = new Set(uncounted.map(({ day }) => String(day)))
  await compare(ledger, 'key', { column: 'key_id', of: 'key_id', skip: skipKeys }, find, pause)
  await compare(ledger, 'day', { column: 'day', of: DAY, skip: skipDays }, find, pause)
}

/** Takes what was found, in words. */
export type Find = (found: readonly string[]) => void

const DAY = 'coalesce(held_at_ms, ended_at_ms) / 86400000'

async function compare(
  ledger: Database,
  what: string,
  { column, of, skip }: { readonly column: string; readonly of: string; readonly skip: ReadonlySet<string> },
  find: Find,
  pause: () => Promise<void>,
): Promise<void> {
  const sums = new Map<string, bigint>()
  const { last } = ledger.prepare<{ last: bigint | null }, []>('SELECT max(seq) AS last FROM settlement').get() ?? {}
  const page = ledger.prepare<Sum, [bigint, bigint]>(
    `SELECT CAST(${of} AS TEXT) AS of, sum(charged) AS sum FROM settlement WHERE seq > ? AND seq <= ? GROUP BY 1`,
  )
  for (let from = 0n; from < (last ?? 0n); from += ROWS_AT_ONCE) {
    for (const row of page.all(from, from + ROWS_AT_ONCE)) sums.set(row.of, (sums.get(row.of) ?? 0n) + row.sum)
    await pause()
  }
  const stored = ledger.prepare<Sum, []>(
    `SELECT CAST(${column} AS TEXT) AS of, sum(charged) AS sum FROM key_spend GROUP BY 1`,
  )
  for (const row of stored.iterate()) {
    const sum = sums.get(row.of) ?? 0n
    sums.delete(row.of)
    if (sum !== row.sum && !skip.has(row.of))
      find([`spent by ${what} ${row.of}: ${row.sum}, its settlements sum to ${sum}`])
  }
  for (const [missing, sum] of sums)
    if (sum !== 0n && !skip.has(missing)) find([`spent by ${what} ${missing}: nothing, its settlements sum to ${sum}`])
}
