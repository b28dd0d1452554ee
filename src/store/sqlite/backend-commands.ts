import type { Database, SQLQueryBindings } from 'bun:sqlite'
import type {
  BackendId,
  CredentialFault,
  FoundCauses,
  FoundFault,
  OperatorCause,
  OwnCredential,
  QuarantineRow,
} from '../../domain/index.ts'
import { assert } from '../../lib/index.ts'
import type {
  NewOwnCredential,
  OperatorCauseChange,
  OwnCredentialChange,
  OwnCredentialEnd,
  Resealed,
  SealedCredential,
} from '../backends-contract.ts'
import { backendQueries } from './backend-queries.ts'
import { type CommandEnd, done, outdated, type Runners, refused } from './command-end.ts'
import { runSql } from './run-sql.ts'

/** The commands of `BackendWrites`, as they cross to the writer thread. */
export type BackendCommand =
  | { readonly kind: 'operator_cause'; readonly change: OperatorCauseChange }
  | { readonly kind: 'quarantine_end'; readonly backend: BackendId }
  | { readonly kind: 'own_credential'; readonly credential: NewOwnCredential }
  | { readonly kind: 'own_credential_change'; readonly change: OwnCredentialChange }
  | { readonly kind: 'own_credential_end'; readonly wish: OwnCredentialEnd }
  | { readonly kind: 'reseal'; readonly rows: readonly Resealed[] }

/** What each of them answers when it was done. */
export interface BackendAnswers {
  readonly operator_cause: QuarantineRow
  readonly quarantine_end: QuarantineRow
  readonly own_credential: OwnCredential
  readonly own_credential_change: OwnCredential
  readonly own_credential_end: OwnCredential
  readonly reseal: number
}

/** The columns of what is found out, in the order of `foundValues`. */
const FOUND = [
  'failures_since_ms',
  'failures_until_ms',
  'failures_backoff_ms',
  'failures_count',
  'failures_streak',
  'failures_last_status',
  'failures_evidence',
  'throttle_since_ms',
  'throttle_until_ms',
  'throttle_backoff_ms',
  'throttle_source',
  'throttle_evidence',
  'credentials',
]

const SQL = {
  setOperatorCause: `INSERT INTO quarantine (backend, operator_by, operator_reason, operator_since_ms, operator_until_ms)
    VALUES (?, ?, ?, ?, ?) ON CONFLICT (backend) DO UPDATE SET operator_by = excluded.operator_by, operator_reason = excluded.operator_reason,
    operator_since_ms = excluded.operator_since_ms, operator_until_ms = excluded.operator_until_ms, version = version + 1`,
  setFoundCauses: `INSERT INTO quarantine (backend, ${FOUND.join(', ')}) VALUES (?${', ?'.repeat(FOUND.length)})
    ON CONFLICT (backend) DO UPDATE SET ${FOUND.map((column) => `${column} = excluded.${column}`).join(', ')}`,
  insertCredential: `INSERT INTO own_credential (id, account_id, provider, name, base_url, sealed, hint, enabled,
    created_at_ms, updated_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  updateCredential: `UPDATE own_credential SET name = ?, sealed = ?, hint = ?, enabled = ?, version = ?, updated_at_ms = ?, fault_cause = ?,
    fault_reason = ?, fault_since_ms = ?, fault_until_ms = ? WHERE id = ?`,
  setFault: `UPDATE own_credential SET fault_cause = ?, fault_reason = ?, fault_since_ms = ?, fault_until_ms = ? WHERE id = ? AND sealed = ?`,
  reseal: `UPDATE own_credential SET sealed = ? WHERE id = ? AND account_id = ? AND sealed = ?`,
  deleteCredential: `DELETE FROM own_credential WHERE id = ?`,
}

export const BACKEND_RUNNERS: Runners<BackendCommand, BackendAnswers> = {
  operator_cause: (db, { change: { backend, operator } }) => done(setOperatorCause(db, backend, operator)),
  quarantine_end(db, { backend }) {
    setFoundCauses(db, { backend, failures: null, throttle: null, credentials: [] })
    return done(setOperatorCause(db, backend, null))
  },
  own_credential: (db, { credential }) => done(insertCredential(db, credential)),
  own_credential_change: (db, { change }) => changeFound(db, change, (row) => updateCredential(db, row, change)),
  own_credential_end: (db, { wish }) =>
    changeFound(db, wish, (row) => {
      runSql(db, SQL.deleteCredential, row.id)
      return credentialOf(row)
    }),
  reseal: (db, { rows }) =>
    done(
      rows.reduce((count, { id, accountId, from, to }) => count + runSql(db, SQL.reseal, to, id, accountId, from), 0),
    ),
}

/** What a backend's row says of what the gateway found out; an operator's cause stays as it is. */
export function setFoundCauses(db: Database, causes: FoundCauses): void {
  runSql(db, SQL.setFoundCauses, causes.backend, ...foundValues(causes))
}

/** What is said against an own credential, as long as it has the secret that it was said of. */
export function setFoundFault(db: Database, { id, sealed, fault }: FoundFault): void {
  runSql(db, SQL.setFault, ...faultValues(fault), id, sealed)
}

const faultValues = (fault: CredentialFault | null): SQLQueryBindings[] => [
  fault?.cause ?? null,
  fault?.reason ?? null,
  fault?.sinceMs ?? null,
  fault?.untilMs ?? null,
]

function foundValues({ failures, throttle, credentials }: FoundCauses): SQLQueryBindings[] {
  return [
    failures?.sinceMs ?? null,
    failures?.untilMs ?? null,
    failures?.backoffMs ?? null,
    failures?.count ?? null,
    failures?.streak ?? null,
    failures?.lastStatus ?? null,
    failures?.evidence ?? null,
    throttle?.sinceMs ?? null,
    throttle?.untilMs ?? null,
    throttle?.backoffMs ?? null,
    throttle?.source ?? null,
    throttle?.evidence ?? null,
    credentials.length === 0 ? null : JSON.stringify(credentials),
  ]
}

function setOperatorCause(db: Database, backend: BackendId, operator: OperatorCause | null): QuarantineRow {
  const values: SQLQueryBindings[] = [
    backend,
    operator?.by ?? null,
    operator?.reason ?? null,
    operator?.sinceMs ?? null,
    operator?.untilMs ?? null,
  ]
  runSql(db, SQL.setOperatorCause, ...values)
  const row = backendQueries(db).quarantineOf(backend)
  assert(row !== null, 'an upsert leaves a row')
  return row
}

function insertCredential(db: Database, credential: NewOwnCredential): OwnCredential {
  const { id, accountId, provider, name, baseUrl, sealed, hint, enabled, createdAtMs } = credential
  const values = [id, accountId, provider, name, baseUrl, sealed, hint, enabled, createdAtMs, createdAtMs]
  runSql(db, SQL.insertCredential, ...values)
  const times = { createdAtMs, updatedAtMs: createdAtMs }
  return { id, accountId, provider, name, baseUrl, hint, enabled, fault: null, version: 1, ...times }
}

function changeFound(
  db: Database,
  { id, accountId, version }: OwnCredentialEnd,
  change: (row: SealedCredential) => OwnCredential,
): CommandEnd<OwnCredential> {
  const row = backendQueries(db).ownCredential(accountId, id)
  if (row === null) return refused('not_found', `The account has no credential '${id}'.`)
  if (version !== null && version !== row.version) return outdated(row.version)
  return done(change(row))
}

/** What a provider said of the old secret says nothing of a new one. */
function updateCredential(db: Database, old: SealedCredential, change: OwnCredentialChange): OwnCredential {
  const { name = old.name, secret, enabled = old.enabled, atMs } = change
  const fault = secret === undefined ? old.fault : null
  const sealed = secret?.sealed ?? old.sealed
  const hint = secret?.hint ?? old.hint
  const values = [name, sealed, hint, enabled, old.version + 1, atMs, ...faultValues(fault), old.id]
  runSql(db, SQL.updateCredential, ...values)
  return { ...credentialOf(old), name, hint, enabled, fault, version: old.version + 1, updatedAtMs: atMs }
}

const credentialOf = ({ sealed: _, ...credential }: SealedCredential): OwnCredential => credential
