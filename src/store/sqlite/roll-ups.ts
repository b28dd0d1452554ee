import type { Database } from 'bun:sqlite'
import type { UsageKey } from '../backends-contract.ts'
import { KEY_OF_SETTLEMENT, SUM_MAX, SUMMED, SUMMED_NAMES } from './summed.ts'

/** The tables of roll-ups with the keys of each, the smallest first. */
const ROLL_UPS = [
  { table: 'usage_by_offer', keys: ['day', 'backend', 'model', 'owner'] },
  { table: 'usage_by_payer', keys: ['day', 'account', 'key'] },
  { table: 'usage_by_key', keys: ['day', 'account', 'key', 'model', 'backend', 'owner'] },
] as const satisfies readonly { readonly table: string; readonly keys: readonly UsageKey[] }[]

const LARGEST = ROLL_UPS[2]

export const ROLL_UP_TABLES: readonly string[] = ROLL_UPS.map(({ table }) => table)

/** The smallest roll-up that knows all these keys. */
export const rollUpWith = (wanted: readonly UsageKey[]): string =>
  ROLL_UPS.find(({ keys }) => new Set<UsageKey>(keys).isSupersetOf(new Set(wanted)))?.table ?? LARGEST.table

/** The column of a key in a roll-up. */
export const keyColumn = (key: UsageKey): string => (key === 'account' || key === 'key' ? `${key}_id` : key)

/**
 * Prepares what adds settlements to the roll-ups: those after `from`, up to `to`, at most `SETTLEMENTS_AT_ONCE` of them. On a connection that
 * has the ledger attached as `ledger`, in the caller's transaction.
 */
export function rollUpStatements(db: Database): (from: number, to: number) => void {
  const sums = SUMMED_NAMES.map((name) => SUMMED[name])
  const columns = sums.map(({ column, of }) => ({ column, of: `sum(${of})` }))
  const statements = [
    ...ROLL_UPS.map(({ table, keys }) => addSql(table, 'ledger.settlement', keys, columns)),
    addSql('usage_further', 'ledger.settlement, json_each(units_more) AS further', LARGEST.keys, [
      { column: 'kind', of: 'further.key', isKey: true },
      { column: 'units', of: 'sum(further.value)' },
    ]),
  ].map((sql) => db.prepare<unknown, [number, number]>(sql))
  return (from, to) => {
    for (const statement of statements) statement.run(from, to)
  }
}

interface Column {
  readonly column: string
  readonly of: string
  readonly isKey?: boolean
}

function addSql(table: string, from: string, by: readonly UsageKey[], columns: readonly Column[]): string {
  const keys = by.map((key) => ({ column: keyColumn(key), of: `coalesce(${KEY_OF_SETTLEMENT[key]}, '')`, isKey: true }))
  const all: readonly Column[] = [...keys, ...columns]
  const groups = all.filter(({ isKey }) => isKey).map((_, at) => at + 1) // the keys stand first
  // An integer that overflows becomes a larger real number, of which `min` takes the integer.
  const added = all.flatMap(({ column, isKey }) =>
    isKey ? [] : [`${column} = min(${column} + excluded.${column}, ${SUM_MAX})`],
  )
  return `INSERT INTO ${table} (${all.map(({ column }) => column).join(', ')})
    SELECT ${all.map(({ of }) => of).join(', ')} FROM ${from} WHERE seq > ? AND seq <= ? GROUP BY ${groups.join(', ')}
    ON CONFLICT DO UPDATE SET ${added.join(', ')}`
}
