import type { StoredKind, StoredThing } from '../domain/index.ts'

/** Where things are found that providers keep for accounts: a part of `MainReads`. */
export interface StoredMainReads {
  storedThing(accountId: string, id: string): Promise<StoredThing | null>
}

/** A part of `Writer`. Each rejects with `GatewayError` `storage_unavailable` while nothing can be written. */
export interface StoredWrites {
  /** What is there already of the same account and id is replaced. Answers how many there were. */
  keepStored(things: readonly StoredThing[]): Promise<number>
  /** Answers how many there were. */
  forgetStored(accountId: string, ids: readonly string[]): Promise<number>
  /** Forgets some of those that ended before then. Answers how many: 0 when none is left. */
  pruneStored(beforeMs: number): Promise<number>
}

/** Which things of an account, and in which order of their creation; `after` is the id of the last of the page before. */
export interface StoredQuery {
  readonly accountId: string
  readonly kind: StoredKind
  readonly isNewestFirst: boolean
  readonly limit: number
  readonly after: string | null
}

/** A part of `Reader`. */
export interface StoredReads {
  storedThings(query: StoredQuery): Promise<readonly StoredThing[]>
}
