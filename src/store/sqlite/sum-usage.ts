import type { Database, SQLQueryBindings } from 'bun:sqlite'
import type { UsageAnswer, UsageKey, UsageQuery, UsageRow } from '../backends-contract.ts'

export interface UsageSources {
  /** A connection that reads integers as BigInt. */
  readonly ledger: Database
  /** Called between pages, so that other reads of this thread get their turn. */
  readonly pause: () => Promise<void>
}

const SETTLEMENTS_AT_ONCE = 1000n // no sum of so many amounts (2^53) leaves SQLite's integers (2^63)
const ROWS_MAX = 10_000

/** An offer's id is its backend, a slash, and the model. */
const KEYS: Readonly<Record<UsageKey, string>> = {
  account: 'account_id',
  key: 'key_id',
  model: 'substr(offer, length(backend) + 2)',
  backend: 'backend',
  day: "date(ended_at_ms / 1000, 'unixepoch')",
}

const SUMS = [
  'requests',
  'voided',
  'input',
  'cachedInput',
  'cacheWrite',
  'output',
  'reasoning',
  'cost',
  'charged',
  'expense',
] as const
type Sums = Record<(typeof SUMS)[number], bigint>

const SUM_COLUMNS = `count(*) AS requests, sum(ending = 'voided') AS voided, sum(units_input) AS input,
  sum(units_cached_input) AS cachedInput, sum(units_cache_write) AS cacheWrite, sum(units_output) AS output,
  sum(units_reasoning) AS reasoning, sum(cost) AS cost, sum(charged) AS charged, sum(expense) AS expense`

type PageRow = Sums & Readonly<Record<string, bigint | string | null>>

/**
 * Sums settlements by keys, from one snapshot of the ledger, page by page: exact whatever they come to. Sorted by the keys in their order,
 * null last. All of it is from the ledger: records may have been lost in a crash.
 */
export async function sumUsage({ ledger, pause }: UsageSources, query: UsageQuery): Promise<UsageAnswer> {
  const { by, sinceMs, untilMs, accountId } = query
  const groups = new Map<string, { readonly keys: UsageRow['keys']; readonly sums: Sums }>()
  ledger.run('BEGIN')
  try {
    const { first, last } = rangeOf(ledger, sinceMs, untilMs)
    if (first === null || last === null) return { kind: 'rows', rows: [] }
    const page = ledger.prepare<PageRow, SQLQueryBindings[]>(pageSql(by, accountId !== null))
    const which = [sinceMs, untilMs, ...(accountId === null ? [] : [accountId])]
    for (let from = first; from <= last; from += SETTLEMENTS_AT_ONCE) {
      for (const row of page.all(from, from + SETTLEMENTS_AT_ONCE, ...which)) {
        const keys = by.map((key) => textOf(row[`by_${key}`]))
        const id = JSON.stringify(keys)
        const group = groups.get(id)
        if (group === undefined) groups.set(id, { keys, sums: row })
        else addTo(group.sums, row)
      }
      if (groups.size > ROWS_MAX) return { kind: 'too_many' }
      await pause()
    }
    const nameOf = namesOf(ledger)
    const rows = [...groups.values()].sort((one, other) => compareKeys(one.keys, other.keys))
    return { kind: 'rows', rows: rows.map(({ keys, sums }) => usageRow(by, keys, sums, nameOf)) }
  } finally {
    ledger.run('ROLLBACK')
  }
}

/** Settlements end in about the order of their numbers, so that the pages between are nearly all of that time. */
function rangeOf(ledger: Database, sinceMs: number, untilMs: number): { first: bigint | null; last: bigint | null } {
  const range = ledger.prepare<{ first: bigint | null; last: bigint | null }, [number, number]>(
    'SELECT min(seq) AS first, max(seq) AS last FROM settlement WHERE ended_at_ms >= ? AND ended_at_ms < ?',
  )
  return range.get(sinceMs, untilMs) ?? { first: null, last: null }
}

function pageSql(by: readonly UsageKey[], ofAccount: boolean): string {
  const keys = by.map((key) => `${KEYS[key]} AS by_${key}`)
  const where = ['seq >= ?', 'seq < ?', 'ended_at_ms >= ?', 'ended_at_ms < ?', ...(ofAccount ? ['account_id = ?'] : [])]
  // `NOT INDEXED` leaves the primary key: a page is a range of it.
  return `SELECT ${[...keys, SUM_COLUMNS].join(', ')} FROM settlement NOT INDEXED WHERE ${where.join(' AND ')}
    GROUP BY ${by.length === 0 ? 'NULL' : keys.map((_, at) => at + 1).join(', ')}`
}

function addTo(sums: Sums, more: Sums): void {
  for (const name of SUMS) sums[name] += more[name]
}

type Names = (table: 'account' | 'key', id: string | null) => string | null

function namesOf(ledger: Database): Names {
  const statements = {
    account: ledger.prepare<{ name: string }, [string]>('SELECT name FROM account WHERE id = ?'),
    key: ledger.prepare<{ name: string }, [string]>('SELECT name FROM key WHERE id = ?'),
  }
  return (table, id) => (id === null ? null : (statements[table].get(id)?.name ?? null))
}

function usageRow(by: readonly UsageKey[], keys: UsageRow['keys'], sums: Sums, nameOf: Names): UsageRow {
  const { requests, voided, cost, charged, expense, ...units } = sums
  const { input, cachedInput, cacheWrite, output, reasoning } = units
  const keyOf = (key: UsageKey): string | null => keys[by.indexOf(key)] ?? null
  return {
    keys,
    accountName: nameOf('account', keyOf('account')),
    keyName: nameOf('key', keyOf('key')),
    requests,
    voided,
    units: { input, cachedInput, cacheWrite, output, reasoning },
    cost,
    charged,
    expense,
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

function compareKeys(one: UsageRow['keys'], other: UsageRow['keys']): number {
  for (const [at, key] of one.entries()) {
    const against = other[at] ?? null
    if (key === against) continue
    if (key === null) return 1
    if (against === null) return -1
    return key < against ? -1 : 1
  }
  return 0
}
