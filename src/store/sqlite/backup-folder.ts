import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { BackupReport } from '../proof-contract.ts'
import { copyDatabase, syncNameOf, syncPath } from './copy-database.ts'
import { verifyFile } from './verify-file.ts'
import { watermarkOf } from './watermark-of.ts'
import { LEDGER_FILE, RECORDS_FILE } from './writer-protocol.ts'

/**
 * Copies both files of a data folder into `into`, which is made, while others go on writing them. The records go first: they follow the ledger, and
 * may not be ahead of it. The copy is proven, and has its name when it is whole and on disk. Throws when the name is taken.
 */
export async function backupFolder(dataFolder: string, into: string): Promise<BackupReport> {
  if (existsSync(into)) throw new Error(`${into} is there already`)
  const unfinished = join(dirname(into), `.${basename(into)}.unfinished`)
  rmSync(unfinished, { recursive: true, force: true }) // of one that was broken off
  mkdirSync(unfinished, { mode: 0o700 })
  try {
    const copy = (file: string): number => copyDatabase(join(dataFolder, file), join(unfinished, file))
    const recordsBytes = copy(RECORDS_FILE)
    const ledgerBytes = copy(LEDGER_FILE)
    const verify = await verifyFile(join(unfinished, LEDGER_FILE), () => watermarkOf(join(unfinished, RECORDS_FILE)))
    syncPath(unfinished)
    renameSync(unfinished, into)
    syncNameOf(into)
    return { folder: into, ledgerBytes, recordsBytes, verify }
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw error
  }
}
