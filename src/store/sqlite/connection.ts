import { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync } from 'node:fs'

const BUSY_TIMEOUT_MS = 2000
const WAL_BYTES_KEPT_MAX = 64 * 1024 * 1024

/**
 * Opens (or makes, 0600) a database for writing. `FULL` waits for the disk at each commit, `NORMAL` at checkpoints only.
 * `busy_timeout` comes before `journal_mode`: changing the mode may already meet a lock.
 */
export function writableConnection(path: string, synchronous: 'FULL' | 'NORMAL'): Database {
  // Only a file that is not there is opened outside of SQLite: closing any descriptor of an open database drops this
  // process's POSIX locks on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  const db = new Database(path, { readwrite: true, create: true, strict: true })
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

/** Opens a database that the writer thread has made, for reading: in WAL mode it sees each commit at once. */
export function readableConnection(path: string): Database {
  const db = new Database(path, { readonly: true, strict: true })
  db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  return db
}

/** Undoes an open transaction, if there is one. Throws when even that fails: then the connection is of no use any more. */
export function rollBack(db: Database): void {
  if (db.inTransaction) db.run('ROLLBACK')
}
