import type { CancelTimer, Clock } from '../lib/index.ts'
import type { Reader, Writer } from '../store/index.ts'
import type { Log } from '../telemetry/index.ts'
import { repeatedly } from './repeatedly.ts'

const PERIOD_MS = 3_600_000

export interface ProveLedgerOptions {
  readonly clock: Clock
  readonly log: Pick<Log, 'warn' | 'error'>
  readonly reader: Pick<Reader, 'proveNext'>
  readonly writer: Pick<Writer, 'markProven'>
}

/**
 * Adds up, at the start and once an hour, what the ledger has had since the last time, and compares every balance with it. What does not add up is
 * logged as `ledger_not_clean`, each time until it does; requests go on.
 */
export function proveLedger(options: ProveLedgerOptions): CancelTimer {
  const { clock, log } = options
  return repeatedly({ clock, log, periodMs: PERIOD_MS, failure: 'ledger_not_proven' }, (isStopped) =>
    proveToTheEnd(options, isStopped),
  )
}

async function proveToTheEnd({ log, reader, writer }: ProveLedgerOptions, isStopped: () => boolean): Promise<void> {
  while (!isStopped()) {
    const step = await reader.proveNext()
    if (step.faults.length > 0) {
      log.error('ledger_not_clean', { faults: step.faults.length, first: step.faults[0] ?? '' })
      return // the mark stays before the fault
    }
    const { from, to } = step
    const isNew = from.entrySeq !== to.entrySeq || from.settlementSeq !== to.settlementSeq
    if (isNew && !isStopped()) await writer.markProven(step)
    if (step.isAtEnd) return
  }
}
