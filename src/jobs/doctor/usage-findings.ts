import type { Store } from '../../store/index.ts'
import { type Finding, ok, warn } from './finding.ts'

const about = { check: 'usage', subject: null } as const
const ADVICE =
  'Money is not touched by it, but usage tells wrong sums: stop the server and delete records.db; the sums come back from the ledger, requests do not.'

/** Whether the sums of usage that are kept ready are those of the settlements. */
export async function usageFindings({ reader }: Pick<Store, 'reader'>): Promise<Finding[]> {
  const faults = await reader.usageFaults()
  if (faults.length === 0) return [ok(about, 'sums of usage are those of the settlements')]
  return faults.map((fault) => warn(about, fault, ADVICE))
}
