import type { Database } from 'bun:sqlite'
import type { UsageKey } from '../backends-contract.ts'
import { places } from './select-sql.ts'
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
 * has the ledger attached as `ledger`, in the caller's transaction. They are read and grouped once, into a table in memory.
 */
export function rollUpStatements(db: Database): (from: number, to: number) => void {
  db.run('PRAGMA temp_store = MEMORY')
  db.run(`CREATE TEMP TABLE IF NOT EXISTS followed (${[...LARGEST.keys.map(keyColumn), ...SUM_COLUMNS].join(', ')})`)
  const clear = db.prepare<unknown, []>('DELETE FROM temp.followed')
  const gather = db.prepare<unknown, [number, number]>(GATHER)
  const adding = ROLL_UPS.map(({ table, keys }) => db.prepare<unknown, []>(addSql(table, keys)))
  const further = db.prepare<unknown, [number, number]>(ADD_FURTHER)
  return (from, to) => {
    clear.run()
    gather.run(from, to)
    for (const statement of adding) statement.run()
    further.run(from, to)
  }
}

const SUM_COLUMNS = SUMMED_NAMES.map((name) => SUMMED[name].column)
const OF_A_KEY = LARGEST.keys.map((key) => `coalesce(${KEY_OF_SETTLEMENT[key]}, '')`)

const GATHER = `INSERT INTO temp.followed
  SELECT ${[...OF_A_KEY, ...SUMMED_NAMES.map((name) => `sum(${SUMMED[name].of})`)].join(', ')}
  FROM ledger.settlement WHERE seq > ? AND seq <= ? GROUP BY ${places(OF_A_KEY.length)}`

/** An integer that overflows becomes a larger real number, of which `min` takes the integer. */
const added = (column: string): string => `${column} = min(${column} + excluded.${column}, ${SUM_MAX})`

function addSql(table: string, by: readonly UsageKey[]): string {
  const keys = by.map(keyColumn)
  return `INSERT INTO ${table} (${[...keys, ...SUM_COLUMNS].join(', ')})
    SELECT ${[...keys, ...SUM_COLUMNS.map((column) => `sum(${column})`)].join(', ')}
    FROM temp.followed WHERE true GROUP BY ${places(keys.length)}
    ON CONFLICT DO UPDATE SET ${SUM_COLUMNS.map(added).join(', ')}`
}

const ADD_FURTHER = `INSERT INTO usage_further (${LARGEST.keys.map(keyColumn).join(', ')}, kind, units)
  SELECT ${OF_A_KEY.join(', ')}, further.key, sum(further.value)
  FROM ledger.settlement CROSS JOIN json_each(units_more) AS further
  WHERE seq > ? AND seq <= ? AND units_more IS NOT NULL GROUP BY ${places(OF_A_KEY.length + 1)}
  ON CONFLICT DO UPDATE SET ${added('units')}`
