import { closeSync, fsyncSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { readableConnection } from './connection.ts'

/**
 * Copies a database as it is at one moment into a new file (0600), while others go on writing it; on disk when this returns. Answers its size in
 * bytes. Throws when `to` is there.
 */
export function copyDatabase(from: string, to: string): number {
  closeSync(openSync(to, 'wx', 0o600)) // SQLite would make it readable for others; an empty one it takes
  const db = readableConnection(from)
  try {
    db.prepare('VACUUM INTO ?').run(to)
  } finally {
    db.close()
  }
  syncPath(to)
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
