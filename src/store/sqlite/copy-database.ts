import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { megabytes } from '../../lib/index.ts'
import { readableConnection } from './connection.ts'
import { describeError } from './sqlite-error.ts'
import { usedBytes } from './used-bytes.ts'

/**
 * Copies a database as it is at one moment into a new file (0600), while others go on writing it; on disk when this returns. Answers its size in
 * bytes. Throws when `to` is there, and what was not copied to its end is gone again; the message names the file. A copy that would fill the disk is
 * not begun: the ledger may be on the same one, and needs room while it is made.
 */
export function copyDatabase(from: string, to: string, freeBytes: (folder: string) => number = freeBytesIn): number {
  closeSync(openSync(to, 'wx', 0o600)) // SQLite would make it readable for others; an empty one it takes
  try {
    using db = readableConnection(from)
    const free = freeBytes(dirname(to))
    const needed = usedBytes(db)
    if (needed > free) throw new Error(`it takes ${megabytes(needed)}, and there is room for ${megabytes(free)}`)
    db.prepare('VACUUM INTO ?').run(to)
    syncPath(to)
  } catch (error) {
    for (const left of [to, `${to}-journal`]) rmSync(left, { force: true }) // on a full disk they would take the room that is made there
    throw new Error(`${from} cannot be copied: ${describeError(error)}`, { cause: error })
  }
  return statSync(to).size
}

/** Some file systems do not tell: they have room until they are full. */
function freeBytesIn(folder: string): number {
  const { blocks, bavail, bsize } = statfsSync(folder)
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize
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
