import { closeSync, fsyncSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { readableConnection } from './connection.ts'
import { describeError } from './sqlite-error.ts'

/**
 * Copies a database as it is at one moment into a new file (0600), while others go on writing it; on disk when this returns. Answers its size in
 * bytes. Throws when `to` is there, and what was not copied to its end is gone again; the message names the file.
 */
export function copyDatabase(from: string, to: string): number {
  closeSync(openSync(to, 'wx', 0o600)) // SQLite would make it readable for others; an empty one it takes
  try {
    using db = readableConnection(from)
    db.prepare('VACUUM INTO ?').run(to)
    syncPath(to)
  } catch (error) {
    rmSync(to, { force: true }) // on a full disk it would take the room that is made there
    throw new Error(`${from} cannot be copied: ${describeError(error)}`, { cause: error })
  }
  return statSync(to).size
}

/** Waits until a file, or what a folder lists, is on disk. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Waits until the name of a file is on disk. */
export const syncNameOf = (path: string): void => syncPath(dirname(path))
