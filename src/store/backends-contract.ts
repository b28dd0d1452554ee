import type {
  BackendId,
  FoundCauses,
  FoundFault,
  OperatorCause,
  OwnCredential,
  QuarantineRow,
  Usage,
} from '../domain/index.ts'
import type { ChangeNote } from './change-note.ts'
import type { Page } from './page.ts'

/** The writes about backends and what accounts bring for them: a part of `Writer`, and as sound as the rest of it. */
export interface BackendWrites {
  /** Answers the row as it is then, whatever causes it has. */
  setOperatorCause(change: OperatorCauseChange, note?: ChangeNote): Promise<QuarantineRow>
  /** All causes of a backend end. Answers its row. */
  clearQuarantine(backend: BackendId, note?: ChangeNote): Promise<QuarantineRow>
  /**
   * What the gateway found out of a backend: the newest goes out with the next batch. No promise: a batch that fails takes it along. An
   * operator's cause is not touched.
   */
  foundCauses(causes: FoundCauses): void
  /** As `foundCauses`, of an own credential; of one whose secret was changed meanwhile, nothing. Its version stays. */
  foundFault(found: FoundFault): void
  createOwnCredential(credential: NewOwnCredential, note?: ChangeNote): Promise<OwnCredential>
  /** Rejects with `precondition_failed` when the version is another. A new secret ends its fault. */
  updateOwnCredential(change: OwnCredentialChange, note?: ChangeNote): Promise<OwnCredential>
  /** Answers what was there. Rejects with `precondition_failed` when the version is another. */
  deleteOwnCredential(wish: OwnCredentialEnd, note?: ChangeNote): Promise<OwnCredential>
  /** The same secrets, sealed otherwise: all in one transaction, but for those that were changed meanwhile. Answers how many it were. Versions stay. */
  resealOwnCredentials(rows: readonly Resealed[], note?: ChangeNote): Promise<number>
}

export interface Resealed {
  readonly id: string
  readonly accountId: string
  readonly from: string
  readonly to: string
}

export interface OperatorCauseChange {
  readonly backend: BackendId
  readonly operator: OperatorCause
}

export interface NewOwnCredential {
  readonly id: string
  readonly accountId: string
  readonly provider: string
  readonly name: string
  readonly baseUrl: string | null
  readonly sealed: string
  readonly hint: string
  readonly enabled: boolean
  readonly createdAtMs: number
}

/** Which credential, as its account names it; `version` null: whatever its version is. */
export interface OwnCredentialEnd {
  readonly id: string
  readonly accountId: string
  readonly version: number | null
}

/** What is left out stays as it is. */
export interface OwnCredentialChange extends OwnCredentialEnd {
  readonly atMs: number
  readonly name?: string
  readonly secret?: Pick<SealedCredential, 'sealed' | 'hint'>
  readonly enabled?: boolean
}

/** A credential with its secret, as it is on disk: the vault opens it. */
export interface SealedCredential extends OwnCredential {
  readonly sealed: string
}

/** The reads about backends: a part of `Reader`. */
export interface BackendReads {
  /** Every row there is: at most one per backend that was ever configured. */
  quarantine(): Promise<readonly QuarantineRow[]>
  /** By provider and name; the cursor is a credential's id. Null: of all accounts. */
  ownCredentials(accountId: string | null, page: Page): Promise<readonly SealedCredential[]>
  ownCredential(accountId: string, id: string): Promise<SealedCredential | null>
  /** Exact sums over settlements: of whole days and months from the roll-ups. Deadline 60 s: of parts of days it reads every settlement. */
  usage(query: UsageQuery): Promise<UsageAnswer>
}

/** `owner`: whose credential the backend was shown, `operator` or `account`. */
export type UsageKey = 'account' | 'key' | 'model' | 'backend' | 'owner' | 'day'

export interface UsageQuery {
  /** How the settlements are grouped, in the order of the answer; none: one sum. */
  readonly by: readonly UsageKey[]
  /** By the time of their ending, `since` with and `until` without. */
  readonly sinceMs: number
  readonly untilMs: number
  /** Null: all. */
  readonly accountId: string | null
  readonly keyId: string | null
  /** With what attempts that did not serve may have cost, as far as the records know. */
  readonly withAbsorbed?: boolean
}

/** `too_many`: more than 10,000 rows; a part of a sum of money would be none. */
export type UsageAnswer = { readonly kind: 'rows'; readonly rows: readonly UsageRow[] } | { readonly kind: 'too_many' }

/** The sums of one group, in order of the keys. */
export interface UsageRow {
  /** Ids; a day is `2026-07-31`, in UTC. Null: no backend served (`model`, `backend`). In the order of the query's `by`. */
  readonly keys: readonly (string | null)[]
  /** Names of the account and of the key, where it is grouped by them. */
  readonly accountName: string | null
  readonly keyName: string | null
  /** Settled and voided. */
  readonly requests: bigint
  readonly voided: bigint
  readonly units: Readonly<Record<keyof Usage, bigint>>
  /** In nano-dollars. */
  readonly cost: bigint
  readonly charged: bigint
  readonly overrun: bigint
  readonly expense: bigint
  /** 0 where it was not asked for. */
  readonly absorbed: bigint
}
