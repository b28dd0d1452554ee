import type { Page } from './page.ts'

/** What the records hold beside requests, and how much of all that is kept: a part of `Writer`. */
export interface RecordsWrites {
  /**
   * Removes the oldest of what is beyond the bounds, in one small step: the ledger's batches wait for it. Answers whether more is left. Rejects
   * when the records cannot be written.
   */
  pruneRecords(bounds: RecordBounds): Promise<boolean>
  /** Best effort, no promise, outside of the batches. */
  keepContent(content: SealedContent): void
  /** The same texts, sealed otherwise, of those that are still there. Rejects when the records cannot be written. */
  resealContents(contents: readonly SealedContent[]): Promise<void>
}

/** What is older goes; then the oldest requests, while the file holds more than this. Sums of usage stay. */
export interface RecordBounds {
  readonly beforeMs: number
  readonly contentBeforeMs: number
  readonly bytesMax: number
}

/** The prompt of a request and its answer, each sealed for this request and account; null: there was no answer. */
export interface SealedContent {
  readonly requestId: string
  readonly accountId: string
  readonly prompt: string
  readonly answer: string | null
  /** More was there than is kept. */
  readonly isCut: boolean
}

/** A part of `Reader`. */
export interface RecordsReads {
  content(requestId: string): Promise<SealedContent | null>
  /** In words, where the sums that are kept ready are not those of the settlements. Reads every settlement: deadline 10 min. */
  usageFaults(): Promise<readonly string[]>
  /** All of them, oldest request first; the cursor is a request's id. */
  contents(page: Page): Promise<readonly SealedContent[]>
}
