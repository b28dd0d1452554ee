import { copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorText, fileStamp } from '../lib/index.ts'
import { takeFolder } from './open.ts'
import type { VerifyReport } from './proof-contract.ts'
import { writableConnection } from './sqlite/connection.ts'
import { copyDatabase, syncPath } from './sqlite/copy-database.ts'
import { MigrationError, migrate } from './sqlite/migrate.ts'
import { migrationsFolder } from './sqlite/migrations-folder.ts'
import { verifyFile } from './sqlite/verify-file.ts'
import { watermarkOf } from './sqlite/watermark-of.ts'
import { LEDGER_FILE, RECORDS_FILE } from './sqlite/writer-protocol.ts'

/**
 * Puts a backup in the place of a data folder's files, which are kept beside. The backup is copied, brought to this program's version and proven
 * first; each file then changes in one step, the records before the ledger, so that they are never ahead of it. Throws `FolderLocked`, and when the
 * backup cannot be read.
 */
export async function restoreFolder(backup: string, dataFolder: string, wallMs: number): Promise<Restored> {
  if (!existsSync(join(backup, LEDGER_FILE))) throw new Error(`${backup} is no backup: it has no ${LEDGER_FILE}`)
  const unlock = takeFolder(dataFolder)
  const staging = join(dataFolder, 'restoring')
  try {
    rmSync(staging, { recursive: true, force: true }) // of one that was broken off
    mkdirSync(staging, { mode: 0o700 })
    const { hasRecords, verify } = await stage(backup, staging, wallMs)
    if (!verify.clean) return { verify, kept: null, hasRecords }
    return { verify, kept: swap(staging, dataFolder, wallMs), hasRecords }
  } finally {
    rmSync(staging, { recursive: true, force: true })
    unlock()
  }
}

export interface Restored {
  /** What the restored ledger was found to be; when it is not clean, nothing was changed. */
  readonly verify: VerifyReport
  /** The folder, inside of the data folder, with the files from before; null when there were none, or nothing was changed. */
  readonly kept: string | null
  /** Whether the backup had records; without them they begin anew, from the ledger. */
  readonly hasRecords: boolean
}

async function stage(
  backup: string,
  staging: string,
  wallMs: number,
): Promise<Pick<Restored, 'hasRecords' | 'verify'>> {
  const hasRecords = existsSync(join(backup, RECORDS_FILE))
  if (hasRecords) copyRecords(join(backup, RECORDS_FILE), join(staging, RECORDS_FILE))
  const path = join(staging, LEDGER_FILE)
  copyDatabase(join(backup, LEDGER_FILE), path)
  try {
    using db = writableConnection(path, 'FULL')
    migrate({ db, path, folder: migrationsFolder('ledger'), wallMs })
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error
    throw new MigrationError(error.message.replaceAll(staging, backup)) // the copy is gone when its operator reads of it
  }
  const followed = (): bigint => (hasRecords ? watermarkOf(join(staging, RECORDS_FILE)) : 0n)
  const verify = await verifyFile(path, followed)
  syncPath(path)
  return { hasRecords, verify }
}

function copyRecords(from: string, to: string): void {
  try {
    copyDatabase(from, to)
  } catch (error) {
    throw new Error(
      `${errorText(error)}. Without that file the backup can be restored, too: records begin anew, from the ledger`,
    )
  }
}

const FILES = [RECORDS_FILE, LEDGER_FILE]
const LOGS = ['-wal', '-shm']

/** Answers where the old files are. After a crash in between, the folder has its old ledger or its new one, and records that are behind it. */
function swap(staging: string, dataFolder: string, wallMs: number): string | null {
  const kept = join(dataFolder, `replaced-${fileStamp(wallMs)}`)
  const isNew = !FILES.some((file) => ['', ...LOGS].some((end) => existsSync(join(dataFolder, file + end))))
  if (!isNew) mkdirSync(kept, { mode: 0o700 })
  for (const file of FILES) keep(join(dataFolder, file), join(kept, file)) // what cannot be kept is not replaced, nor is the other
  for (const file of FILES) {
    const [old, next] = [join(dataFolder, file), join(staging, file)]
    if (existsSync(next)) renameSync(next, old)
    else rmSync(old, { force: true })
    syncPath(dataFolder)
  }
  return isNew ? null : kept
}

/**
 * A second name for the file, with what its log still held; where that cannot be brought in, the log goes along. So does the log of a file that
 * somebody took away: SQLite would take it for that of the file which comes in its place.
 */
function keep(old: string, kept: string): void {
  if (existsSync(old)) {
    try {
      writableConnection(old, 'FULL').close() // the last connection that closes brings the log in, and takes it away
    } catch {
      // torn, or no database at all: it is kept as it is
    }
    try {
      linkSync(old, kept)
    } catch {
      copyFileSync(old, kept) // a file system without links
    }
    syncPath(kept)
  }
  for (const end of LOGS) if (existsSync(old + end)) renameSync(old + end, kept + end)
}
