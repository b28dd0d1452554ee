import { errorCode } from '../lib/index.ts'

/** The data folder, or what is in it, cannot be made, entered or written. The message says why, and what to do. */
export class FolderUnusable extends Error {
  override name = 'FolderUnusable'

  constructor(path: string, [reason, advice]: Why) {
    super(`${path} ${reason}: ${advice}`)
  }
}

type Why = readonly [reason: string, advice: string]

const ANOTHER = 'name another with --data FOLDER.'
const NO_FOLDER: Why = ['is no folder', ANOTHER]
const NOT_OURS: Why = [
  'may not be read and written by this user',
  `run this as its owner (sudo -u), give it to this one (chown), or ${ANOTHER}`,
]
const FULL: Why = ['is on a disk that is full', 'make room there.']

const REASONS: Readonly<Record<string, Why>> = {
  ENOTDIR: NO_FOLDER,
  EEXIST: NO_FOLDER,
  ELOOP: NO_FOLDER,
  EACCES: NOT_OURS,
  EPERM: NOT_OURS,
  EROFS: ['is on a disk that is read-only', `see why ('dmesg' tells of faults), or ${ANOTHER}`],
  ENOSPC: FULL,
  EDQUOT: FULL,
  SQLITE_FULL: FULL,
  ENAMETOOLONG: ['is too long a name', ANOTHER],
}

/** What the system said of the data folder, or of a path in it, as an error for its operator; anything else stays as it is. */
export function folderFailure(path: string, error: unknown): unknown {
  const why = REASONS[errorCode(error) ?? '']
  return why === undefined ? error : new FolderUnusable(path, why)
}
