/** The reads that prove, copy and list the ledger: a part of `Reader`. */
export interface ProofReads {
  /** Reads every row. */
  verify(): Promise<VerifyReport>
  /** Adds up what follows the last row that `markProven` was told of, a piece at a time; at its end compares every balance with all of it. */
  proveNext(): Promise<ProofStep>
  /** Every posting that is not zero, oldest first: entries, then settlements, up to what was there when the first page was read. */
  postings(page: PostingsPage): Promise<Postings>
  /**
   * Copies both files as they are at two moments, the records' first, into `backups/<name>` of the data folder. Rejects with `GatewayError`
   * `conflict`, and tells why, when there is one of this name or it cannot be made.
   */
  backup(name: string): Promise<BackupReport>
}

/** The writes that go with them: a part of `Writer`. */
export interface ProofWrites {
  /** Says that what a step has read adds up. False, and nothing changed, when somebody else has said so. */
  markProven(step: ProofStep): Promise<boolean>
}

/** The last entry and the last settlement that were added up. */
export interface ProofMark {
  readonly entrySeq: number
  readonly settlementSeq: number
}

/** A piece of the ledger that was read. */
export interface ProofStep {
  readonly from: ProofMark
  readonly to: ProofMark
  /** What the piece adds to the balance of each account, in nano-dollars, as decimal strings: they may be beyond what a number can carry. */
  readonly sums: readonly (readonly [accountId: string, nano: string])[]
  /** In words, each naming the row at fault. */
  readonly faults: readonly string[]
  /** Whether nothing follows; then balances and holds were looked at, too. */
  readonly isAtEnd: boolean
}

export interface PostingsPage {
  /** How many entries or settlements, each of which has several postings. */
  readonly limit: number
  /** Null: from the beginning. */
  readonly after: PostingsCursor | null
}

/** Where a list of postings stands, and where it ends. */
export interface PostingsCursor {
  readonly at: ProofMark
  readonly end: ProofMark
}

export interface Postings {
  readonly rows: readonly PostingRow[]
  /** Null: this was the last page. */
  readonly next: PostingsCursor | null
}

/** One side of an entry or a settlement; the sides of each sum to zero. */
export interface PostingRow {
  readonly source: 'entry' | 'settlement'
  readonly seq: number
  /** Of an entry its kind; of a settlement `settlement`. */
  readonly kind: string
  readonly atMs: number
  /** `account`, or a system account: `revenue`, `funding`, … */
  readonly side: string
  /** Of the entry or the settlement. */
  readonly accountId: string
  readonly keyId: string | null
  readonly requestId: string | null
  readonly nano: number
  readonly note: string | null
}

export interface BackupReport {
  readonly folder: string
  readonly ledgerBytes: number
  readonly recordsBytes: number
  /** What the copy of the ledger was found to be. */
  readonly verify: VerifyReport
}

export interface VerifyReport {
  readonly clean: boolean
  /** In words, each naming the row at fault. */
  readonly faults: readonly string[]
  readonly accounts: number
  readonly entries: number
  readonly settlements: number
  readonly openHolds: number
  /** Σ of all accounts' balances, in nano-dollars, as a decimal string. */
  readonly balanceSum: string
}
