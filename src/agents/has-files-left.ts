import { closeSync, openSync } from 'node:fs'
import { errorCode } from '../lib/index.ts'

/** Of the process, and of the whole machine. */
const NONE_LEFT: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE'])

/**
 * Whether this process may open another file. To be asked when a dial came to nothing: Bun tells a socket that it could not get as ECONNREFUSED, in
 * the words of a backend that refuses, and a name that it could not look up as unknown.
 */
export function hasFilesLeft(): boolean {
  try {
    closeSync(openSync('/dev/null', 'r'))
    return true
  } catch (error) {
    return !NONE_LEFT.has(errorCode(error))
  }
}
