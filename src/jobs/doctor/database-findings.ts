import type { Store } from '../../store/index.ts'
import { type Finding, fail, ok } from './finding.ts'

const about = { check: 'database', subject: null } as const
const BROKEN =
  'Stop the server and keep a copy of the folder as it is. Then put the last backup in place (docs/operating/backup.md).'
/** A backup would take money back that has moved since. */
const RECORDS_BROKEN =
  'No money depends on it: stop the server and delete records.db. Its sums come back from the ledger, requests do not.'

/** Whether the files themselves are sound, and whether they can be written now. */
export async function databaseFindings({ reader, writer }: Pick<Store, 'reader' | 'writer'>): Promise<Finding[]> {
  const faults = await reader.integrity()
  const findings = faults.map((fault) => fail(about, fault, fault.startsWith('records.db') ? RECORDS_BROKEN : BROKEN))
  if (!writer.accepting()) {
    const advice = 'Requests are refused with 503 until it can: look at the disk, and at commit_failed in the log.'
    findings.push(fail(about, 'the ledger cannot be written now', advice))
  }
  return findings.length > 0 ? findings : [ok(about, 'both files are sound and can be written')]
}
