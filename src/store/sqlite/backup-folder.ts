import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { BackupReport } from '../proof-contract.ts'
import { copyDatabase, syncNameOf, syncPath } from './copy-database.ts'
import { verifyFile } from './verify-file.ts'
import { watermarkOf } from './watermark-of.ts'
import { LEDGER_FILE, RECORDS_FILE } from './writer-protocol.ts'

/**
 * Copies both files of a data folder into `into`, which is made, while others go on writing them. The records go first: they follow the ledger, and
 * may not be ahead of it; where there are none, the copy has none. It is proven, and has its name when it is whole and on disk. Throws when the
 * name is taken.
 */
export async function backupFolder(dataFolder: string, into: string): Promise<BackupReport> {
  if (existsSync(into)) throw new Error(`${into} is there already`)
  const unfinished = unfinishedPath(into)
  rmSync(unfinished, { recursive: true, force: true }) // of one that was broken off
  mkdirSync(unfinished, { mode: 0o700 })
  try {
    const copy = (file: string): number => copyDatabase(join(dataFolder, file), join(unfinished, file))
    const hasRecords = existsSync(join(dataFolder, RECORDS_FILE))
    const recordsBytes = hasRecords ? copy(RECORDS_FILE) : 0
    const ledgerBytes = copy(LEDGER_FILE)
    const followed = (): bigint => (hasRecords ? watermarkOf(join(unfinished, RECORDS_FILE)) : 0n)
    const verify = await verifyFile(join(unfinished, LEDGER_FILE), followed)
    syncPath(unfinished)
    renameSync(unfinished, into)
    syncNameOf(into)
    return { folder: into, ledgerBytes, recordsBytes, verify }
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw error
  }
}

/** Where the backups of a data folder are that nobody named another place for. */
export const backupsOf = (dataFolder: string): string => join(dataFolder, 'backups')

const UNFINISHED = '.unfinished'

/** Where a folder that is copied is until it is whole. */
export const unfinishedPath = (into: string): string => join(dirname(into), `.${basename(into)}${UNFINISHED}`)

/** Removes what backups had come to whose process died. The caller holds the folder's lock: none is under way. */
export function removeUnfinished(dataFolder: string): void {
  const backups = backupsOf(dataFolder)
  try {
    for (const name of readdirSync(backups))
      if (name.endsWith(UNFINISHED)) rmSync(join(backups, name), { recursive: true, force: true })
  } catch {
    // there are none, or they are another user's: no reason not to start
  }
}
