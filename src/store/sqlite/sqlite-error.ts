import { errorText } from '../../lib/index.ts'

/**
 * What a failure means for the transaction it happened in.
 * `failed`: it is undone, and the same may succeed later. `doubt`: it may have been committed. `refused`: a constraint of a
 * table said no. `fatal`: nothing more may be written by this process.
 */
export type FailureKind = 'failed' | 'doubt' | 'refused' | 'fatal'

/** SQLite's extended result code, e.g. `SQLITE_IOERR_FSYNC`; null for an error of another origin. */
export function sqliteErrorCode(error: unknown): string | null {
  if (!(error instanceof Error) || error.name !== 'SQLiteError' || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}

/** Judges a failure by its code (https://sqlite.org/rescode.html). What is not known to be harmless is fatal. */
export function failureKind(error: unknown): FailureKind {
  const code = sqliteErrorCode(error)
  if (code === null) return 'fatal' // a bug of ours: its transaction cannot be trusted
  if (code.startsWith('SQLITE_CONSTRAINT')) return 'refused'
  // After a failed fsync the system may have dropped the pages it could not write: another try would only seem to succeed.
  if (code === 'SQLITE_IOERR_FSYNC' || code === 'SQLITE_IOERR_DIR_FSYNC') return 'fatal'
  if (code.startsWith('SQLITE_IOERR')) return 'doubt'
  return HARMLESS.some((harmless) => code.startsWith(harmless)) ? 'failed' : 'fatal'
}

const HARMLESS = ['SQLITE_FULL', 'SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_NOMEM', 'SQLITE_INTERRUPT', 'SQLITE_PROTOCOL']

/** Whether `sum` came beyond SQLite's largest integer (https://sqlite.org/lang_aggfunc.html#sumunc): it has no code of its own. */
export const isSumOverflow = (error: unknown): boolean => error instanceof Error && error.message === 'integer overflow'

/** An error in words for the log: code and message. */
export function describeError(error: unknown): string {
  const code = sqliteErrorCode(error)
  const message = errorText(error)
  return code === null ? message : `${code}: ${message}`
}
