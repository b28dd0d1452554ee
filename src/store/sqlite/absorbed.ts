import type { Database, SQLQueryBindings } from 'bun:sqlite'
import type { UsageKey, UsageQuery } from '../backends-contract.ts'
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

type Found = Readonly<Record<string, bigint | string | null>> & { readonly absorbed: bigint }

/** Adds what attempts that did not serve may have cost: as far as the records have them, for they may lose some in a crash. */
export function addAbsorbed(records: Database, query: UsageQuery, sums: UsageGroups): void {
  const { by, sinceMs, untilMs, accountId, keyId } = query
  const keys = by.map((key) => `${KEY_OF_ATTEMPT[key]} AS by_${key}`)
  const endedMs = 'started_at_ms + attempt.ended_us / 1000'
  const whose = [...(accountId === null ? [] : ['account_id = ?']), ...(keyId === null ? [] : ['key_id = ?'])]
  const where = ['possible_cost > 0', `${endedMs} >= ?`, `${endedMs} < ?`, ...whose]
  const found = records.prepare<Found, SQLQueryBindings[]>(
    `SELECT ${[...keys, 'sum(possible_cost) AS absorbed'].join(', ')}
    FROM attempt INDEXED BY attempt_absorbed JOIN request USING (request_id) WHERE ${where.join(' AND ')}
    GROUP BY ${keys.length === 0 ? 'NULL' : keys.map((_, at) => at + 1).join(', ')}`,
  )
  const values = [sinceMs, untilMs, ...[accountId, keyId].filter((id) => id !== null)]
  for (const row of found.all(...values)) if (row.absorbed !== null) sums.addAbsorbed(row, row.absorbed)
}
