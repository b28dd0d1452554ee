import type { Database, SQLQueryBindings } from 'bun:sqlite'
import type { ManagementKey } from '../../domain/index.ts'
import type { ManagementKeyEnd, NewManagementKey } from '../admin-contract.ts'
import type { ChangeNote, Claim } from '../change-note.ts'
import { adminQueries } from './admin-queries.ts'
import { type CommandEnd, done, outdated, type Runners, refused } from './command-end.ts'
import { runSql } from './run-sql.ts'

/** The commands of `AdminWrites`, as they cross to the writer thread. */
export type AdminCommand =
  | { readonly kind: 'management_key'; readonly key: NewManagementKey }
  | { readonly kind: 'management_key_end'; readonly wish: ManagementKeyEnd }
  | { readonly kind: 'forget_answers'; readonly beforeMs: number }

/** What each of them answers when it was done. */
export interface AdminAnswers {
  readonly management_key: ManagementKey
  readonly management_key_end: ManagementKey
  readonly forget_answers: number
}

const SQL = {
  insertKey: `INSERT INTO management_key (id, name, hash, prefix, scopes, created_at_ms, expires_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  revokeKey: `UPDATE management_key SET revoked_at_ms = ?, version = version + 1 WHERE id = ?`,
  insertAudit: `INSERT INTO audit (at_ms, actor, action, subject, details) VALUES (?, ?, ?, ?, ?)`,
  insertClaim: `INSERT INTO idempotency (actor, idempotency_key, request_hash, answer, sealed, at_ms) VALUES (?, ?, ?, ?, ?, ?)`,
  claim: `SELECT 1 FROM idempotency WHERE actor = ? AND idempotency_key = ?`,
  forget: `DELETE FROM idempotency WHERE at_ms < ?`,
}

export const ADMIN_RUNNERS: Runners<AdminCommand, AdminAnswers> = {
  management_key: (db, { key }) => done(insertKey(db, key)),
  management_key_end: (db, { wish }) => revokeKey(db, wish),
  forget_answers: (db, { beforeMs }) => done(runSql(db, SQL.forget, beforeMs)),
}

/** Whether an answer is kept under the claim's key already: then the change it comes with must not be made. */
export const isClaimed = (db: Database, { actor, idempotencyKey }: Claim): boolean =>
  db.prepare<unknown, SQLQueryBindings[]>(SQL.claim).get(actor, idempotencyKey) !== null

/** Writes what goes with a change that was done, and what the change answered. */
export function writeNote(db: Database, { audit, claim }: ChangeNote, answer: unknown): void {
  runSql(db, SQL.insertAudit, audit.atMs, audit.actor, audit.action, audit.subject, JSON.stringify(audit.details))
  if (claim === null) return
  const { actor, idempotencyKey, requestHash, sealed, atMs } = claim
  runSql(db, SQL.insertClaim, actor, idempotencyKey, requestHash, JSON.stringify(answer), sealed, atMs)
}

function insertKey(db: Database, key: NewManagementKey): ManagementKey {
  const { id, name, hash, prefix, scopes, createdAtMs, expiresAtMs } = key
  runSql(db, SQL.insertKey, id, name, hash, prefix, JSON.stringify(scopes), createdAtMs, expiresAtMs)
  return { id, name, prefix, scopes, createdAtMs, expiresAtMs, revokedAtMs: null, version: 1 }
}

function revokeKey(db: Database, { id, atMs, version }: ManagementKeyEnd): CommandEnd<ManagementKey> {
  const key = adminQueries(db).managementKey(id)
  if (key === null) return refused('not_found', `There is no management key '${id}'.`)
  if (version !== null && version !== key.version) return outdated(key.version)
  if (key.revokedAtMs !== null) return done(key)
  runSql(db, SQL.revokeKey, atMs, id)
  return done({ ...key, revokedAtMs: atMs, version: key.version + 1 })
}
