import { errorCode } from '../lib/index.ts'

/** The data folder cannot be made, entered or written. The message says why, and what to do. */
export class FolderUnusable extends Error {
  override name = 'FolderUnusable'

  constructor(dataFolder: string, reason: string) {
    super(`${dataFolder} ${reason}: name another with --data FOLDER.`)
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTDIR: 'is no folder',
  EEXIST: 'is no folder',
  ELOOP: 'is no folder',
  EACCES: 'may not be written by this user',
  EPERM: 'may not be written by this user',
  EROFS: 'is on a disk that is read-only',
  ENOSPC: 'is on a disk that is full',
  EDQUOT: 'is on a disk that is full',
  SQLITE_FULL: 'is on a disk that is full',
  ENAMETOOLONG: 'is too long a name',
}

/** What the system said of the data folder, as an error for its operator; anything else stays as it is. */
export function folderFailure(dataFolder: string, error: unknown): unknown {
  const reason = REASONS[errorCode(error) ?? '']
  return reason === undefined ? error : new FolderUnusable(dataFolder, reason)
}
