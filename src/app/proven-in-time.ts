import { internalWords } from '../domain/index.ts'
import type { Clock } from '../lib/index.ts'
import type { House } from '../pipeline/index.ts'
import type { Store, VerifyReport } from '../store/index.ts'

/** Adds the whole ledger up, unless that takes more than five seconds: who stops a server with forty million settlements would wait a minute. Never rejects. */
export function provenInTime({ reader, ledger, clock }: Proving): Promise<EndReport> {
  const unproven: EndReport = { clean: true, faults: [], openHolds: ledger.stats().openHolds, isProven: false }
  return new Promise((resolve) => {
    const cancel = clock.after(PROOF_MS_MAX, () => resolve(unproven))
    const end = (report: EndReport): void => {
      cancel()
      resolve(report)
    }
    reader.verify().then(
      (report) => end({ ...report, isProven: true }),
      (error: unknown) =>
        end({ ...unproven, clean: false, faults: [`it cannot be added up: ${internalWords(error)}`] }),
    )
  })
}

/** As long as a restart may wait for it. */
export const PROOF_MS_MAX = 5000

/** What is known of the ledger when a server ends. */
export interface EndReport extends Pick<VerifyReport, 'clean' | 'faults' | 'openHolds'> {
  /** Whether all of it was added up: else no fault is known. */
  readonly isProven: boolean
}

export interface Proving {
  readonly reader: Pick<Store['reader'], 'verify'>
  readonly ledger: Pick<House['ledger'], 'stats'>
  readonly clock: Clock
}
