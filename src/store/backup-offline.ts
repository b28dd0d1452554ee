import { takeFolder } from './open.ts'
import type { BackupReport } from './proof-contract.ts'
import { backupFolder } from './sqlite/backup-folder.ts'

/** Copies a data folder that no server runs on, as it is: no hold is closed, nothing is migrated. Throws `FolderLocked`. */
export async function backupOffline(dataFolder: string, into: string): Promise<BackupReport> {
  const unlock = takeFolder(dataFolder)
  try {
    return await backupFolder(dataFolder, into)
  } finally {
    unlock()
  }
}
