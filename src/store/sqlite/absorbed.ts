import type { Database, SQLQueryBindings } from 'bun:sqlite'
import type { UsageKey, UsageQuery } from '../backends-contract.ts'
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

/** Adds what attempts that did not serve may have cost: as far as the records have them, for they may lose some in a crash. */
export function addAbsorbed(records: Database, query: UsageQuery, sums: UsageGroups): void {
  const endedMs = 'started_at_ms + attempt.ended_us / 1000'
  const found = records.prepare<Found, SQLQueryBindings[]>(
    selectSql(
      'attempt INDEXED BY attempt_absorbed JOIN request USING (request_id)',
      query.by.map((key) => `${KEY_OF_ATTEMPT[key]} AS by_${key}`),
      ['sum(possible_cost) AS absorbed'],
      ['possible_cost > 0', `${endedMs} >= ?`, `${endedMs} < ?`, ...whoseSql(query)],
    ),
  )
  const values = [query.sinceMs, query.untilMs, ...whose(query)]
  for (const row of found.all(...values)) if (row.absorbed !== null) sums.addAbsorbed(row, row.absorbed)
}
