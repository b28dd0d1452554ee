import type { Database } from 'bun:sqlite'
import type { UsageKey } from '../backends-contract.ts'
import { places } from './select-sql.ts'
import { KEY_OF_SETTLEMENT, SUM_MAX, SUMMED, SUMMED_NAMES } from './summed.ts'

/** A table of sums. Each row is of one day, or of one month: then its day is the first of it. */
export interface RollUp {
  readonly table: string
  readonly of: 'day' | 'month'
  readonly keys: readonly UsageKey[]
  /** The table of units that few requests have, by all keys and kind. */
  readonly further: string
}

const ALL_KEYS = ['day', 'account', 'key', 'model', 'backend', 'owner'] as const satisfies readonly UsageKey[]
const OF_DAYS = { of: 'day', further: 'usage_further' } as const

const BY_KEY: RollUp = { ...OF_DAYS, table: 'usage_by_key', keys: ALL_KEYS }
const BY_MONTH: RollUp = { of: 'month', further: 'usage_further_by_month', table: 'usage_by_month', keys: ALL_KEYS }

/** Those of days are the smallest first. */
export const ROLL_UPS: readonly RollUp[] = [
  { ...OF_DAYS, table: 'usage_by_offer', keys: ['day', 'backend', 'model', 'owner'] },
  { ...OF_DAYS, table: 'usage_by_payer', keys: ['day', 'account', 'key'] },
  BY_KEY,
  BY_MONTH,
]

/** The smallest roll-up of days that knows all these keys, and that of months if it is smaller and tells the same. */
export function rollUpsWith(wanted: readonly UsageKey[]): { readonly days: RollUp; readonly months: RollUp | null } {
  const days = ROLL_UPS.find(({ keys }) => new Set(keys).isSupersetOf(new Set(wanted))) ?? BY_KEY
  return { days, months: days === BY_KEY && !wanted.includes('day') ? BY_MONTH : null }
}

/** The column of a key in a roll-up. */
export const keyColumn = (key: UsageKey): string => (key === 'account' || key === 'key' ? `${key}_id` : key)

/**
 * Prepares what adds settlements to the roll-ups: those after `from`, up to `to`, at most `SETTLEMENTS_AT_ONCE` of them. On a connection that
 * has the ledger attached as `ledger`, in the caller's transaction. They are read and grouped once, into tables in memory.
 */
export function rollUpStatements(db: Database): (from: number, to: number) => void {
  db.run('PRAGMA temp_store = MEMORY')
  const steps = [SUMS, FURTHER].map(({ name, keys, sums, gather, into }) => {
    db.run(`CREATE TEMP TABLE IF NOT EXISTS ${name} (${[...keys, ...sums].join(', ')})`)
    return {
      clear: db.prepare<unknown, []>(`DELETE FROM temp.${name}`),
      gather: db.prepare<unknown, [number, number]>(
        `INSERT INTO temp.${name} ${gather} GROUP BY ${places(keys.length)}`,
      ),
      adding: into.map((target) => db.prepare<unknown, []>(addSql(name, target, sums))),
    }
  })
  return (from, to) => {
    for (const { clear, gather, adding } of steps) {
      clear.run()
      if (gather.run(from, to).changes === 0) continue
      for (const statement of adding) statement.run()
    }
  }
}

interface Target {
  readonly table: string
  readonly of: RollUp['of']
  readonly keys: readonly string[]
}

/** What is read of the settlements that follow, and the tables that it is added to. */
interface Gathered {
  readonly name: string
  readonly keys: readonly string[]
  readonly sums: readonly string[]
  readonly gather: string
  readonly into: readonly Target[]
}

const KEY_COLUMNS = ALL_KEYS.map(keyColumn)
const OF_A_KEY = ALL_KEYS.map((key) => `coalesce(${KEY_OF_SETTLEMENT[key]}, '')`)

const SUMS: Gathered = {
  name: 'followed',
  keys: KEY_COLUMNS,
  sums: SUMMED_NAMES.map((name) => SUMMED[name].column),
  gather: `SELECT ${[...OF_A_KEY, ...SUMMED_NAMES.map((name) => `sum(${SUMMED[name].of})`)].join(', ')}
    FROM ledger.settlement WHERE seq > ? AND seq <= ?`,
  into: ROLL_UPS.map(({ table, of, keys }) => ({ table, of, keys: keys.map(keyColumn) })),
}

const FURTHER: Gathered = {
  name: 'followed_further',
  keys: [...KEY_COLUMNS, 'kind'],
  sums: ['units'],
  gather: `SELECT ${OF_A_KEY.join(', ')}, further.key, sum(further.value)
    FROM ledger.settlement CROSS JOIN json_each(units_more) AS further
    WHERE seq > ? AND seq <= ? AND units_more IS NOT NULL`,
  into: [BY_KEY, BY_MONTH].map(({ further, of }) => ({ table: further, of, keys: [...KEY_COLUMNS, 'kind'] })),
}

const FIRST_OF_MONTH = `unixepoch(day * 86400, 'unixepoch', 'start of month') / 86400`

function addSql(from: string, { table, of, keys }: Target, sums: readonly string[]): string {
  const found = keys.map((key) => (key === 'day' && of === 'month' ? FIRST_OF_MONTH : key))
  return `INSERT INTO ${table} (${[...keys, ...sums].join(', ')})
    SELECT ${[...found, ...sums.map((column) => `sum(${column})`)].join(', ')}
    FROM temp.${from} WHERE true GROUP BY ${places(keys.length)}
    ON CONFLICT DO UPDATE SET ${sums.map(added).join(', ')}`
}

/** An integer that overflows becomes a larger real number, of which `min` takes the integer. */
const added = (column: string): string => `${column} = min(${column} + excluded.${column}, ${SUM_MAX})`
