import type { Database } from 'bun:sqlite'

/** The two tables whose rows move money. */
export type Journal = 'entry' | 'settlement'

const PREFIX = 'posting_'

/** The sides of a journal's rows, `account` first, as the table itself says: `posting_<side>` is a column. */
export function sidesOf(ledger: Database, journal: Journal): string[] {
  const columns = ledger.prepare<{ name: string }, []>(`SELECT name FROM pragma_table_xinfo('${journal}')`).all()
  return columns.flatMap(({ name }) => (name.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : []))
}

/** The sum of a row's postings, which is zero, in SQL. */
export const sumOfSides = (sides: readonly string[]): string => sides.map((side) => PREFIX + side).join(' + ')
