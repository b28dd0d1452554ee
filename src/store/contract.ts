import type {
  Account,
  AccountKind,
  AccountTermsChange,
  AttemptRecord,
  Checkpoint,
  CoveredOffer,
  EndReason,
  Hold,
  Key,
  KeyTerms,
  Money,
  Skip,
  Stickiness,
  Usage,
  UsageSource,
} from '../domain/index.ts'
import type { AdminMainReads, AdminReads, AdminWrites } from './admin-contract.ts'
import type { BackendReads, BackendWrites, SealedCredential } from './backends-contract.ts'
import type { ChangeNote } from './change-note.ts'
import type { CreditReads, CreditWrites } from './credits-contract.ts'
import type { Entry, NewEntry } from './entry.ts'
import type { KeyMainReads, KeyReads, KeyWrites } from './keys-contract.ts'
import type { LearnedReads, LearnedWrites } from './learned-contract.ts'
import type { Page } from './page.ts'
import type { ProofReads, ProofWrites } from './proof-contract.ts'
import type { RecordsReads, RecordsWrites } from './records-contract.ts'
import type { StoredMainReads, StoredReads, StoredWrites } from './stored-contract.ts'
import type { WebhookReads, WebhookWrites } from './webhooks-contract.ts'

export type { Entry, EntryKind, NewEntry } from './entry.ts'
export type { Page } from './page.ts'

/**
 * All persistence, by unit of work. Two files: `ledger.db` decides money, `records.db` is derived from it.
 * One writer thread owns all writes of both; one reader thread answers every read that is not by primary key.
 */
export interface Store {
  readonly reads: MainReads
  readonly writer: Writer
  readonly reader: Reader
  /** What recovery did at the start: how many open holds of dead epochs were closed, and how. */
  readonly recovery: Recovery
  /** Writes what is queued, closes the files, ends the threads, frees the folder lock. */
  close(): Promise<void>
}

/** Reads on the main thread: by a unique key only, from prepared statements. Asynchronous so that a double can hold them back. */
export interface MainReads extends AdminMainReads, KeyMainReads, StoredMainReads {
  keyByHash(hash: string): Promise<Key | null>
  account(accountId: string): Promise<KeptAccount | null>
}

/** An account as it stands on disk. */
export interface AccountRow {
  readonly account: Account
  readonly balance: Money
}

/** With the credentials that the account brings itself, in the order of their creation. */
export interface KeptAccount extends AccountRow {
  readonly credentials: readonly SealedCredential[]
}

export interface Recovery {
  readonly epoch: number
  readonly settled: number
  readonly voided: number
}

/** Resolves when the batch that holds the item is on disk. All items of a batch share one promise. */
export type Durable = Promise<void>

/**
 * Group commit: what is appended in one tick, or while a batch is being written, goes out as one transaction with one fsync.
 * Holds go first within a batch. A hold and its settlement that meet in one unsent batch become the settlement alone.
 */
export interface Writer
  extends AdminWrites,
    BackendWrites,
    CreditWrites,
    KeyWrites,
    LearnedWrites,
    ProofWrites,
    RecordsWrites,
    StoredWrites,
    WebhookWrites {
  /** False while the queue is over its bound (10,000 items or 1 s of age) or after a failed commit, until a probe commit passes. */
  accepting(): boolean
  /**
   * Rejects with `GatewayError` `storage_unavailable` when its commit failed or while none are taken: then no such hold is on disk. With
   * `waitMs` it goes to the disk only after so long, or when it is told to `hurry`: its settlement may come before that and take its place.
   */
  hold(hold: Hold, waitMs?: number): Durable
  /** Somebody waits for the hold to be on disk. */
  hurry(requestId: string): void
  checkpoint(requestId: string, checkpoint: Checkpoint): void
  /** Never rejects: kept in order and applied again, by primary key, until it is on disk. */
  settle(row: SettlementRow): Durable
  /**
   * Settles a request whose hold is not on its way to the disk yet; false, and nothing happened, when it is. The hold's promise tells what became
   * of it: when the commit fails there is neither a hold nor a settlement.
   */
  settleWithHold(row: SettlementRow): boolean
  /** Best effort, no promise: may be lost in a crash. */
  record(record: RequestRecord): void
  /**
   * Each rejects with `GatewayError` (`conflict`, `not_found`, `invalid_request`, `storage_unavailable`), and then nothing was changed. A
   * `note` is written with the change, in its transaction.
   */
  createAccount(account: NewAccount, note?: ChangeNote): Promise<Account>
  createKey(key: NewKey, note?: ChangeNote): Promise<Key>
  /** Answers the hash too: what is kept in memory is found by it. */
  revokeKey(keyId: string, note?: ChangeNote): Promise<{ readonly key: Key; readonly hash: string }>
  /**
   * A movement of money that is no settlement. Answers the entry with its number and the balance after it. A refund is refused (`conflict`) when it
   * is more than its request was charged, less what was refunded of it before.
   */
  enter(entry: NewEntry, note?: ChangeNote): Promise<Entry>
  stats(): WriterStats
}

export interface WriterStats {
  readonly queued: number
  readonly batches: number
  readonly items: number
  readonly failedCommits: number
}

/** Terms that are absent are those that everybody has at first. */
export interface NewAccount extends AccountTermsChange {
  readonly id: string
  readonly name: string
  readonly kind: AccountKind
  readonly createdAtMs: number
}

export interface NewKey extends KeyTerms {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly hash: string
  readonly prefix: string
  readonly createdAtMs: number
}

/**
 * The ledger entry of a request. Postings (each entry's sum is zero, a CHECK of the table):
 * account −charged, operator's overrun loss −overrun, revenue +cost; provider expense −expense, provider payable +expense.
 */
export interface SettlementRow {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly end: 'settled' | 'voided'
  readonly reason: EndReason
  readonly usage: Usage
  readonly usageSource: UsageSource | null
  readonly covered: CoveredOffer | null
  /** usage × price. */
  readonly cost: Money
  /** What the account pays: at most held + available. */
  readonly charged: Money
  /** cost − charged: the operator's loss. */
  readonly overrun: Money
  /** usage × the provider's price to the operator; 0 when unknown. */
  readonly expense: Money
  readonly held: Money
  /** When its hold was opened: it counts in the budgets of that day. */
  readonly heldAtMs: number
  readonly endedAtMs: number
}

/** A settlement as it is read back. */
export interface SettlementView extends SettlementRow {
  readonly seq: number
}

/** One request as it is recorded: no body, no secret. The money figures of a stored record come from its settlement. */
export interface RequestRecord {
  readonly requestId: string
  readonly generationId: string
  readonly clientRequestId: string | null
  readonly accountId: string | null
  readonly keyId: string | null
  readonly operation: string
  /** As the caller named it. */
  readonly modelAsked: string | null
  readonly model: string | null
  readonly backend: string | null
  readonly stream: boolean
  /** Status of the answer; 499 when the caller left before one. */
  readonly status: number
  readonly errorCode: string | null
  readonly startedAtMs: number
  readonly timing: TimingSplit
  readonly skips: readonly Skip[]
  readonly attempts: readonly AttemptRecord[]
  /** Why the answer ended, in the provider's word; absent: it told none. */
  readonly finishReason?: string
  /** Absent: it said nothing of itself, or nothing may be kept of it. */
  readonly client?: ClientFacts
  /** What became of its session; absent: it had none, or nobody served it. */
  readonly stickiness?: Stickiness
  /** The router model that was asked for; absent: a model was named. */
  readonly router?: string
}

/** What a caller says of itself, and of what its request belongs to; absent: nothing. */
export interface ClientFacts {
  readonly userAgent?: string
  /** Of the app: its address and its name. */
  readonly referer?: string
  readonly title?: string
  readonly session?: string
}

/** Integer microseconds; `gw + upstream + post = total` and the stages sum to `gw`, exactly. */
export interface TimingSplit {
  readonly gwUs: number
  readonly stages: readonly (readonly [name: string, us: number])[]
  readonly upstreamUs: number
  readonly postUs: number
  readonly postHoldUs: number
  readonly totalUs: number
  /** From the request's arrival to the end of its stream or answer. */
  readonly endedUs: number
}

/** A record as it is read back, with the money of its settlement, if it has one. */
export interface StoredRecord extends RequestRecord {
  readonly settlement:
    | (Pick<SettlementRow, 'end' | 'reason' | 'usage' | 'usageSource' | 'cost' | 'charged' | 'held'> & {
        /** Whose credential the backend was shown; null: nobody served. */
        readonly owner: 'operator' | 'account' | null
      })
    | null
}

/**
 * Reads of any size, in a thread of their own, in keyset pages, each with a deadline (5 s; `verify`, which reads every row: 10 min).
 * A read that fails rejects with `GatewayError` `storage_unavailable`. Records that lost their details in a crash are not listed.
 */
export interface Reader
  extends AdminReads,
    BackendReads,
    CreditReads,
    KeyReads,
    LearnedReads,
    ProofReads,
    RecordsReads,
    StoredReads,
    WebhookReads {
  accounts(page: Page): Promise<readonly (AccountRow & { readonly createdAtMs: number })[]>
  /** The account of this name, which is unique; null: there is none. */
  accountNamed(name: string): Promise<AccountRow | null>
  keys(accountId: string | null, page: Page): Promise<readonly Key[]>
  entries(accountId: string, page: Page): Promise<readonly Entry[]>
  settlements(accountId: string | null, page: Page): Promise<readonly SettlementView[]>
  holds(accountId: string | null): Promise<readonly Hold[]>
  records(page: Page): Promise<readonly StoredRecord[]>
  record(requestId: string): Promise<StoredRecord | null>
  /** What is wrong with the files themselves, as the database finds it: torn pages, indexes that miss rows. Empty when they are sound. */
  integrity(): Promise<readonly string[]>
}
