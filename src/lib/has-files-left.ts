import { closeSync, openSync } from 'node:fs'
import { errorCode } from './error-code.ts'

/** Of the process, and of the whole machine. */
const NONE_LEFT: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE'])

/** Whether this process may open so many files more. It opens them to know it, and closes them. */
export function hasFilesLeft(count = 1): boolean {
  const opened: number[] = []
  try {
    while (opened.length < count) opened.push(openSync('/dev/null', 'r'))
    return true
  } catch (error) {
    return !NONE_LEFT.has(errorCode(error))
  } finally {
    for (const file of opened) closeSync(file)
  }
}

/** What an operator is told when it may not. */
export const NO_FILES_LEFT = 'the gateway has as many files open as it may (ulimit -n)'
