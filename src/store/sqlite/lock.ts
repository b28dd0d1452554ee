import { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { sqliteErrorCode } from './sqlite-error.ts'

/** Another process works on this data folder. */
export class FolderLocked extends Error {
  override name = 'FolderLocked'
  readonly dataFolder: string

  constructor(dataFolder: string) {
    super(`${dataFolder} is in use by another process of anyrouter`)
    this.dataFolder = dataFolder
  }
}

/** Its file in the data folder. */
export const LOCK_FILE = 'lock.db'

/** Locks held by this process. A `Database` that nobody refers to is collected, and its lock with it. */
const held = new Set<Database>()

/**
 * Takes the lock of a data folder: an exclusive transaction on `lock.db`, kept open. The system frees it when the process dies,
 * by `kill -9` too (a PID file would not, and means nothing in a container). Throws `FolderLocked`. The answer frees it.
 */
export function lockFolder(dataFolder: string): () => void {
  const path = join(dataFolder, LOCK_FILE)
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  const db = new Database(path, { readwrite: true, create: true, strict: true })
  try {
    db.run('PRAGMA busy_timeout = 0')
    db.run('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    throw sqliteErrorCode(error)?.startsWith('SQLITE_BUSY') ? new FolderLocked(dataFolder) : error
  }
  held.add(db)
  return () => {
    if (!held.delete(db)) return
    db.run('ROLLBACK')
    db.close()
  }
}
