import type { Database, SQLQueryBindings } from 'bun:sqlite'

/** Runs one statement; answers how many rows it changed. */
export const runSql = (db: Database, sql: string, ...values: SQLQueryBindings[]): number =>
  db.prepare<unknown, SQLQueryBindings[]>(sql).run(...values).changes
