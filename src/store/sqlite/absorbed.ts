import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { DAY_MS } from '../../lib/index.ts'
import type { UsageKey, UsageQuery } from '../backends-contract.ts'
import { firstIdAt, LAST_ID } from './first-id-at.ts'
import { type FoundKeys, selectSql, whose, whoseSql } from './select-sql.ts'
import type { UsageGroups } from './usage-groups.ts'

/** What usage is grouped by, as an attempt that did not serve has it. An own credential's attempt costs the operator nothing: it is never here. */
const KEY_OF_ATTEMPT: Readonly<Record<UsageKey, string>> = {
  account: 'account_id',
  key: 'key_id',
  model: 'substr(attempt.offer, length(attempt.backend) + 2)',
  backend: 'attempt.backend',
  owner: `'operator'`,
  day: '(started_at_ms + attempt.ended_us / 1000) / 86400000',
}

type Found = FoundKeys & { readonly absorbed: bigint }

const ATTEMPTS_AT_ONCE = 500

const PAGE_END = `SELECT request_id FROM attempt INDEXED BY attempt_absorbed WHERE possible_cost > 0 AND request_id > ?
  ORDER BY request_id LIMIT 1 OFFSET ${ATTEMPTS_AT_ONCE - 1}`

/** Adds what attempts that did not serve may have cost, page by page: as far as the records have them, for they may lose some in a crash. */
export async function addAbsorbed(
  records: Database,
  query: UsageQuery,
  sums: UsageGroups,
  pause: () => Promise<void>,
): Promise<void> {
  const endedMs = 'started_at_ms + attempt.ended_us / 1000'
  const found = records.prepare<Found, SQLQueryBindings[]>(
    selectSql(
      'attempt INDEXED BY attempt_absorbed JOIN request USING (request_id)',
      query.by.map((key) => `${KEY_OF_ATTEMPT[key]} AS by_${key}`),
      ['sum(possible_cost) AS absorbed'],
      [
        'possible_cost > 0',
        'request_id > ?',
        'request_id <= ?',
        `${endedMs} >= ?`,
        `${endedMs} < ?`,
        ...whoseSql(query),
      ],
    ),
  )
  const pageEnd = records.prepare<{ request_id: string }, [string]>(PAGE_END)
  const ofWhat = [query.sinceMs, query.untilMs, ...whose(query)]
  // What ended within the time had begun a day before it at the earliest.
  let after: string | undefined = firstIdAt(query.sinceMs - DAY_MS)
  while (after !== undefined) {
    const end: string | undefined = pageEnd.get(after)?.request_id
    for (const row of found.all(after, end ?? LAST_ID, ...ofWhat))
      if (row.absorbed !== null) sums.addAbsorbed(row, row.absorbed)
    after = end
    await pause()
  }
}
