import { internalWords } from '../../domain/index.ts'
import type { Clock } from '../../lib/index.ts'
import { type CheckName, type Finding, fail, warn } from './finding.ts'

export interface Guard {
  readonly clock: Clock
  readonly check: CheckName
  readonly limitMs: number
}

/** What a check finds, within its time; that it took longer, or could not be made, is a finding too. Never rejects. */
export function guarded({ clock, check, limitMs }: Guard, work: () => Promise<Finding[]>): Promise<Finding[]> {
  const about = { check, subject: null }
  return new Promise((resolve) => {
    const cancelTimer = clock.after(limitMs, () =>
      resolve([warn(about, `not finished within ${limitMs / 1000} s`, 'Try again when less is going on.')]),
    )
    const end = (findings: Finding[]): void => {
      cancelTimer()
      resolve(findings)
    }
    work().then(end, (error: unknown) =>
      end([fail(about, `could not be checked: ${internalWords(error)}`, ADVICE[check])]),
    )
  })
}

const BROKEN_FILES =
  'Stop the server and keep a copy of the folder as it is. Then put the last backup in place (docs/operating/backup.md).'

/** What to do when a check itself fails. */
const ADVICE: Readonly<Record<CheckName, string>> = {
  configuration: 'See anyrouter check.',
  socket: 'Restart the server.',
  folder: 'Look at the folder named with --data: who owns it, and whether it is there.',
  disk: 'Look at the disk of the data folder: whether it is mounted, full, or read-only.',
  descriptors: 'See ulimit -n.',
  database: BROKEN_FILES,
  ledger: BROKEN_FILES,
  usage: 'Stop the server and delete records.db: its sums come back from the ledger.',
  clock: 'See timedatectl.',
  backend: 'See the log.',
  credential: 'See the log.',
}
