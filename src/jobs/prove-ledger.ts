import { type CancelTimer, type Clock, errorText } from '../lib/index.ts'
import type { Reader, Writer } from '../store/index.ts'
import type { Log } from '../telemetry/index.ts'

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
  let isRunning = false
  let isStopped = false
  const prove = async (): Promise<void> => {
    if (isRunning) return
    isRunning = true
    try {
      await proveToTheEnd(options, () => isStopped)
    } catch (error) {
      if (!isStopped) log.warn('ledger_not_proven', { message: errorText(error) }) // the next hour tries again
    } finally {
      isRunning = false
    }
  }
  void prove()
  const cancel = clock.every(PERIOD_MS, () => void prove())
  return () => {
    isStopped = true
    cancel()
  }
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
