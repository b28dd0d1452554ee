import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../lib/index.ts'
import { unfinishedPath } from './sqlite/backup-folder.ts'
import { syncNameOf, syncPath } from './sqlite/copy-database.ts'

/**
 * Brings a folder of files to another place. On the same disk that is a new name; to another disk it is copied, and has its name there, on
 * disk, before it is gone here. Throws what the system says: then it is where it was. `rename` is given by tests.
 */
export function moveFolder(from: string, to: string, rename: (from: string, to: string) => void = renameSync): void {
  try {
    rename(from, to)
    syncNameOf(to)
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error
    copyFolder(from, to)
    rmSync(from, { recursive: true })
  }
}

function copyFolder(from: string, to: string): void {
  const unfinished = unfinishedPath(to)
  rmSync(unfinished, { recursive: true, force: true }) // of one that was broken off
  mkdirSync(unfinished, { mode: 0o700 })
  try {
    for (const file of readdirSync(from)) {
      copyFileSync(join(from, file), join(unfinished, file))
      syncPath(join(unfinished, file))
    }
    syncPath(unfinished)
    renameSync(unfinished, to)
    syncNameOf(to)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw error
  }
}
