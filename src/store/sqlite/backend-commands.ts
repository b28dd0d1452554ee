import type { Database, SQLQueryBindings } from 'bun:sqlite'
import type {
  BackendId,
  CredentialFault,
  ErrorCode,
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
} from '../backends-contract.ts'
import { outdated } from './admin-commands.ts'
import { backendQueries } from './backend-queries.ts'

/** The commands of `BackendWrites`, as they cross to the writer thread. */
export type BackendCommand =
  | { readonly kind: 'operator_cause'; readonly change: OperatorCauseChange }
  | { readonly kind: 'quarantine_end'; readonly backend: BackendId }
  | { readonly kind: 'own_credential'; readonly credential: NewOwnCredential }
  | { readonly kind: 'own_credential_change'; readonly change: OwnCredentialChange }
  | { readonly kind: 'own_credential_end'; readonly wish: OwnCredentialEnd }
  | { readonly kind: 'reseal'; readonly rows: readonly Resealed[] }

const KINDS: ReadonlySet<string> = new Set<BackendCommand['kind']>([
  'operator_cause',
  'quarantine_end',
  'own_credential',
  'own_credential_change',
  'own_credential_end',
  'reseal',
])

/** What each of them answers when it was done. */
export interface BackendAnswers {
  readonly operator_cause: QuarantineRow
  readonly quarantine_end: QuarantineRow
  readonly own_credential: OwnCredential
  readonly own_credential_change: OwnCredential
  readonly own_credential_end: OwnCredential
  readonly reseal: number
}

export type BackendCommandEnd =
  | { readonly kind: 'done'; readonly answer: BackendAnswers[keyof BackendAnswers] }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string; readonly version?: number }

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
  credential: `SELECT * FROM own_credential WHERE id = ? AND account_id = ?`,
  updateCredential: `UPDATE own_credential SET name = ?, sealed = ?, hint = ?, enabled = ?, version = ?, updated_at_ms = ?, fault_cause = ?,
    fault_reason = ?, fault_since_ms = ?, fault_until_ms = ? WHERE id = ?`,
  setFault: `UPDATE own_credential SET fault_cause = ?, fault_reason = ?, fault_since_ms = ?, fault_until_ms = ? WHERE id = ? AND sealed = ?`,
  reseal: `UPDATE own_credential SET sealed = ? WHERE id = ? AND account_id = ? AND sealed = ?`,
  deleteCredential: `DELETE FROM own_credential WHERE id = ?`,
}

/** A row of the table, as SQLite gives it. */
export interface CredentialColumns {
  readonly id: string
  readonly account_id: string
  readonly provider: string
  readonly name: string
  readonly sealed: string
  readonly hint: string
  readonly enabled: number
  readonly version: number
  readonly created_at_ms: number
  readonly updated_at_ms: number
  readonly fault_cause: string | null
  readonly fault_reason: string | null
  readonly fault_since_ms: number | null
  readonly fault_until_ms: number | null
  readonly base_url: string | null
}

/** Whether a command is one of these. */
export const isBackendCommand = <C extends { readonly kind: string }>(command: C): command is C & BackendCommand =>
  KINDS.has(command.kind)

/** Does one command inside the caller's transaction. Throws what a constraint refuses: then it changed nothing. */
export function runBackendCommand(db: Database, command: BackendCommand): BackendCommandEnd {
  switch (command.kind) {
    case 'operator_cause':
      return { kind: 'done', answer: setOperatorCause(db, command.change.backend, command.change.operator) }
    case 'quarantine_end':
      setFoundCauses(db, { backend: command.backend, failures: null, throttle: null, credentials: [] })
      return { kind: 'done', answer: setOperatorCause(db, command.backend, null) }
    case 'own_credential':
      return { kind: 'done', answer: insertCredential(db, command.credential) }
    case 'own_credential_change':
      return changeFound(db, command.change, (row) => updateCredential(db, row, command.change))
    case 'reseal':
      return { kind: 'done', answer: resealCredentials(db, command.rows) }
    case 'own_credential_end':
      return changeFound(db, command.wish, (row) => {
        db.prepare<unknown, [string]>(SQL.deleteCredential).run(row.id)
        return credentialOf(row)
      })
  }
}

/** In words for who gave the command, when a constraint refused it. */
export function backendRefusal(command: BackendCommand, constraint: string | null): BackendCommandEnd {
  if (constraint === 'SQLITE_CONSTRAINT_FOREIGNKEY' && command.kind === 'own_credential')
    return refused('not_found', `There is no account '${command.credential.accountId}'.`)
  if (constraint === 'SQLITE_CONSTRAINT_UNIQUE' || constraint === 'SQLITE_CONSTRAINT_PRIMARYKEY')
    return refused('conflict', 'The account has a credential of this name for this provider already.')
  return refused('invalid_request', 'A field is out of range.')
}

/** What a backend's row says of what the gateway found out; an operator's cause stays as it is. */
export function setFoundCauses(db: Database, causes: FoundCauses): void {
  db.prepare<unknown, SQLQueryBindings[]>(SQL.setFoundCauses).run(causes.backend, ...foundValues(causes))
}

/** What is said against an own credential, as long as it has the secret that it was said of. */
export function setFoundFault(db: Database, { id, sealed, fault }: FoundFault): void {
  db.prepare<unknown, SQLQueryBindings[]>(SQL.setFault).run(...faultValues(fault), id, sealed)
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
  db.prepare<unknown, SQLQueryBindings[]>(SQL.setOperatorCause).run(...values)
  const row = backendQueries(db).quarantineOf(backend)
  assert(row !== null, 'an upsert leaves a row')
  return row
}

function insertCredential(db: Database, credential: NewOwnCredential): OwnCredential {
  const { id, accountId, provider, name, baseUrl, sealed, hint, enabled, createdAtMs } = credential
  const values = [id, accountId, provider, name, baseUrl, sealed, hint, enabled, createdAtMs, createdAtMs]
  db.prepare<unknown, SQLQueryBindings[]>(SQL.insertCredential).run(...values)
  const times = { createdAtMs, updatedAtMs: createdAtMs }
  return { id, accountId, provider, name, baseUrl, hint, enabled, fault: null, version: 1, ...times }
}

function resealCredentials(db: Database, rows: readonly Resealed[]): number {
  const reseal = db.prepare<unknown, [string, string, string, string]>(SQL.reseal)
  return rows.reduce((count, { id, accountId, from, to }) => count + reseal.run(to, id, accountId, from).changes, 0)
}

function changeFound(
  db: Database,
  { id, accountId, version }: OwnCredentialEnd,
  change: (row: CredentialColumns) => OwnCredential,
): BackendCommandEnd {
  const row = db.prepare<CredentialColumns, [string, string]>(SQL.credential).get(id, accountId)
  if (row === null) return refused('not_found', `The account has no credential '${id}'.`)
  if (version !== null && version !== row.version) return outdated(row.version)
  return { kind: 'done', answer: change(row) }
}

/** What a provider said of the old secret says nothing of a new one. */
function updateCredential(db: Database, old: CredentialColumns, change: OwnCredentialChange): OwnCredential {
  const { name = old.name, secret, enabled = old.enabled !== 0, atMs } = change
  const fault = secret === undefined ? faultOf(old) : null
  const sealed = secret?.sealed ?? old.sealed
  const hint = secret?.hint ?? old.hint
  const values = [name, sealed, hint, enabled, old.version + 1, atMs, ...faultValues(fault), old.id]
  db.prepare<unknown, SQLQueryBindings[]>(SQL.updateCredential).run(...values)
  return { ...credentialOf(old), name, hint, enabled, fault, version: old.version + 1, updatedAtMs: atMs }
}

const credentialOf = (row: CredentialColumns): OwnCredential => ({
  id: row.id,
  accountId: row.account_id,
  provider: row.provider,
  name: row.name,
  baseUrl: row.base_url,
  hint: row.hint,
  enabled: row.enabled !== 0,
  fault: faultOf(row),
  version: row.version,
  createdAtMs: row.created_at_ms,
  updatedAtMs: row.updated_at_ms,
})

function faultOf(row: CredentialColumns): CredentialFault | null {
  const { fault_cause: cause, fault_reason: reason, fault_since_ms: sinceMs, fault_until_ms: untilMs } = row
  return cause === null || sinceMs === null ? null : { cause, reason, sinceMs, untilMs }
}

const refused = (code: ErrorCode, message: string): BackendCommandEnd => ({ kind: 'refused', code, message })
