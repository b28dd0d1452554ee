import type { MoneySettings } from '../../domain/index.ts'
import type { Call } from '../../threads/index.ts'
import type { Recovery } from '../contract.ts'
import type { RecordBounds } from '../records-contract.ts'
import type { BatchEnd, BatchText } from './batch.ts'
import type { FaultState } from './faults.ts'

/** The calls of the writer thread. */
export interface WriterCalls {
  /** First, once: migrates, recovers, and begins to follow settlements into the records. */
  readonly open: Call<OpenWriter, Recovery>
  /** An encoded `Batch`. */
  readonly write: Call<BatchText, BatchEnd>
  /** An encoded `Learned`: for the records file, whatever becomes of batches. */
  readonly learned: Call<string, null>
  readonly pruneRecords: Call<RecordBounds, boolean>
  /** An encoded `SealedContent`. */
  readonly content: Call<string, null>
  /** An encoded list of them. */
  readonly resealContents: Call<string, null>
  readonly fault: Call<Partial<FaultState>, null>
  /** Last, once: the records are brought up to date, both files are closed. */
  readonly close: Call<null, null>
}

export interface OpenWriter {
  readonly dataFolder: string
  /** Null: as the process that died was told. */
  readonly crash: MoneySettings['crash'] | null
  readonly wallMs: number
}

/** What a thread has to say without being asked: a line for the log. */
export interface LogEvent {
  readonly level: 'info' | 'warn' | 'error'
  readonly event: string
  readonly fields: Readonly<Record<string, string | number>>
}

export const LEDGER_FILE = 'ledger.db'
export const RECORDS_FILE = 'records.db'
