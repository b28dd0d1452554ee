import type { ManagementKey, Scope } from '../domain/index.ts'
import type { AuditFilter, AuditRow, ChangeNote, KeptAnswer } from './change-note.ts'
import type { Page } from './page.ts'

/** The writes about who administers: a part of `Writer`, and as sound as the rest of it. */
export interface AdminWrites {
  createManagementKey(key: NewManagementKey, note?: ChangeNote): Promise<ManagementKey>
  /** Revoking twice keeps the first time. Rejects with `not_found`, and with `precondition_failed` when the version is another. */
  revokeManagementKey(wish: ManagementKeyEnd, note?: ChangeNote): Promise<ManagementKey>
  /** Forgets kept answers from before this time; answers how many. */
  forgetAnswers(beforeMs: number): Promise<number>
}

export interface NewManagementKey {
  readonly id: string
  readonly name: string
  readonly hash: string
  readonly prefix: string
  readonly scopes: readonly Scope[]
  readonly createdAtMs: number
  readonly expiresAtMs: number | null
}

export interface ManagementKeyEnd {
  readonly id: string
  readonly atMs: number
  /** Null: whatever its version is. */
  readonly version: number | null
}

/** The reads on the main thread: a part of `MainReads`. */
export interface AdminMainReads {
  managementKeyByHash(hash: string): Promise<ManagementKey | null>
  /** What was answered to this actor under this idempotency key. */
  keptAnswer(actor: string, idempotencyKey: string): Promise<KeptAnswer | null>
}

/** The reads of any size: a part of `Reader`. */
export interface AdminReads {
  /** By name and id; the cursor is a key's id. */
  managementKeys(page: Page): Promise<readonly ManagementKey[]>
  managementKey(id: string): Promise<ManagementKey | null>
  /** Newest first; the cursor is a `seq`. */
  audit(filter: AuditFilter, page: Page): Promise<readonly AuditRow[]>
}
