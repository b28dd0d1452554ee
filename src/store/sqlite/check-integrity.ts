import { basename } from 'node:path'
import { errorText } from '../../lib/index.ts'
import { readableConnection } from './connection.ts'

const FAULTS_MAX = 20

/** What SQLite's quick check finds wrong with a file, each fault with the file's name; empty when it is sound. Reads all of it. */
export function checkIntegrity(path: string): string[] {
  const name = basename(path)
  try {
    using db = readableConnection(path)
    const rows = db.prepare<{ quick_check: string }, []>(`PRAGMA quick_check(${FAULTS_MAX})`).all()
    return rows.filter(({ quick_check }) => quick_check !== 'ok').map(({ quick_check }) => `${name}: ${quick_check}`)
  } catch (error) {
    return [`${name}: ${errorText(error)}`]
  }
}
