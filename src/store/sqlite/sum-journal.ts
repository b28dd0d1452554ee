import type { Database } from 'bun:sqlite'
import type { Find } from './compare-spend.ts'
import { type Journal, sidesOf, sumOfSides } from './sides-of.ts'

export interface Summing {
  /** By account: what its postings come to is added. */
  readonly sums: Map<string, bigint>
  readonly find: Find
  /** Called between pages, so that other reads of this thread get their turn. */
  readonly pause: () => Promise<void>
}

/**
 * Adds up the rows of a journal from `after` (without it) to `to`, page by page, on a connection that reads integers as BigInt, and finds those
 * whose postings do not sum to zero. Answers how many rows there are.
 */
export async function sumJournal(
  ledger: Database,
  journal: Journal,
  { after, to }: { readonly after: bigint; readonly to: bigint },
  { sums, find, pause }: Summing,
): Promise<bigint> {
  const page = ledger.prepare<{ account_id: string; sum: bigint; rows: bigint }, [bigint, bigint]>(
    `SELECT account_id, sum(posting_account) AS sum, count(*) AS rows FROM ${journal} WHERE seq > ? AND seq <= ? GROUP BY account_id`,
  )
  const unbalanced = ledger.prepare<{ seq: bigint }, [bigint, bigint]>(
    `SELECT seq FROM ${journal} WHERE seq > ? AND seq <= ? AND ${sumOfSides(sidesOf(ledger, journal))} <> 0`,
  )
  let count = 0n
  for (let from = after; from < to; from += ROWS_AT_ONCE) {
    const until = from + ROWS_AT_ONCE < to ? from + ROWS_AT_ONCE : to
    for (const { account_id, sum, rows } of page.all(from, until)) {
      sums.set(account_id, (sums.get(account_id) ?? 0n) + sum)
      count += rows
    }
    find(unbalanced.all(from, until).map(({ seq }) => `${journal} ${seq}: its postings do not sum to zero`))
    await pause()
  }
  return count
}

/** No sum of so many amounts (2^53) leaves SQLite's integers (2^63). */
export const ROWS_AT_ONCE = 1000n
