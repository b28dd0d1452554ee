import type { Store } from '../../store/index.ts'
import { type Finding, fail, ok } from './finding.ts'

const about = { check: 'ledger', subject: null } as const

/** Whether all of the money adds up. */
export async function ledgerFindings({ reader }: Pick<Store, 'reader'>): Promise<Finding[]> {
  const { clean, faults, accounts, settlements } = await reader.verify()
  if (clean) return [ok(about, `all adds up: accounts ${accounts}, settlements ${settlements}`)]
  const advice = 'Keep a copy of the folder as it is now, and compare the rows named with the last backup.'
  return faults.map((fault) => fail(about, fault, advice))
}
