import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite'
import { closeSync, existsSync, openSync } from 'node:fs'

const BUSY_TIMEOUT_MS = 2000
const WAL_BYTES_KEPT_MAX = 64 * 1024 * 1024

type Prepared<R, P extends SQLQueryBindings | SQLQueryBindings[]> = ReturnType<typeof Database.prototype.prepare<R, P>>

/**
 * A connection whose `close` closes: Bun's keeps the file open, with its locks, until the last statement has been collected. So it
 * keeps its statements, one per text, and ends them first. Texts must be few (values are bound), and a statement is not to be
 * iterated twice at once.
 */
export class Connection extends Database {
  readonly #statements = new Map<string, Statement>()

  override prepare<R, P extends SQLQueryBindings | SQLQueryBindings[]>(text: string, parameters?: P): Prepared<R, P> {
    let statement = this.#statements.get(text)
    if (statement === undefined) {
      statement = super.prepare(text, parameters)
      this.#statements.set(text, statement)
    }
    return statement as Prepared<R, P> // made from the same text
  }

  override close(): void {
    for (const statement of this.#statements.values()) statement.finalize()
    this.#statements.clear()
    super.close(true)
  }

  override [Symbol.dispose](): void {
    this.close()
  }
}

/**
 * Opens (or makes, 0600) a database for writing. `FULL` waits for the disk at each commit, `NORMAL` at checkpoints only.
 * `busy_timeout` comes before `journal_mode`: changing the mode may already meet a lock.
 */
export function writableConnection(path: string, synchronous: 'FULL' | 'NORMAL'): Connection {
  // Only a file that is not there is opened outside of SQLite: closing any descriptor of an open database drops this
  // process's POSIX locks on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  const db = new Connection(path, { readwrite: true, create: true, strict: true })
  try {
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    db.run('PRAGMA journal_mode = WAL')
    db.run(`PRAGMA synchronous = ${synchronous}`)
    db.run('PRAGMA foreign_keys = ON')
    db.run(`PRAGMA journal_size_limit = ${WAL_BYTES_KEPT_MAX}`)
  } catch (error) {
    db.close()
    throw error
  }
  return db
}

/**
 * Opens a database that the writer thread has made, for reading: in WAL mode it sees each commit at once. `exact` reads every integer
 * as a bigint.
 */
export function readableConnection(path: string, numbers: 'plain' | 'exact' = 'plain'): Connection {
  const db = new Connection(path, { readonly: true, strict: true, safeIntegers: numbers === 'exact' })
  db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  return db
}

/** Undoes an open transaction, if there is one. Throws when even that fails: then the connection is of no use any more. */
export function rollBack(db: Database): void {
  if (db.inTransaction) db.run('ROLLBACK')
}
