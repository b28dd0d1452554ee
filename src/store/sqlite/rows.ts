import type { InferSelectModel } from 'drizzle-orm'
import {
  type AttemptRecord,
  budgetsOrNull,
  type FailureCause,
  type Hold,
  type Key,
  limitsOrNull,
  type ManagementKey,
  type Money,
  type QuarantineRow,
  type ThrottleCause,
  type Usage,
} from '../../domain/index.ts'
import type { SealedCredential } from '../backends-contract.ts'
import type { AccountRow, Entry, SettlementView, StoredRecord } from '../contract.ts'
import { readPolicy } from './read-policy.ts'
import type * as records from './records-schema.ts'
import type * as tables from './schema.ts'

type AccountColumns = InferSelectModel<typeof tables.account>
type KeyColumns = InferSelectModel<typeof tables.key>
type HoldColumns = InferSelectModel<typeof tables.hold>
type SettlementColumns = InferSelectModel<typeof tables.settlement>
type RequestColumns = InferSelectModel<typeof records.request>
type AttemptColumns = InferSelectModel<typeof records.attempt>
type QuarantineColumns = InferSelectModel<typeof tables.quarantine>

/** An account with its balance. Like all of this file: a table's row as a value of the contract. */
export function accountRow({ balance, policy, ...row }: AccountColumns): AccountRow {
  const { id, name, kind, disabled, models, byokFallback, storeContent, version } = row
  return {
    account: { id, name, kind, disabled, models, policy: readPolicy(policy), byokFallback, storeContent, version },
    balance,
  }
}

/** A key, without the hash of its secret. */
export function keyRow(row: KeyColumns): Key {
  const { id, accountId, name, prefix, models, expiresAtMs, addresses, revokedAtMs, version } = row
  const { budgetTotal: total, budgetDay: day, budgetWeek: week, budgetMonth: month } = row
  const { requestsPerMinute, tokensPerMinute, concurrency } = row
  const budgets = budgetsOrNull({ total, day, week, month })
  const limits = limitsOrNull({ requestsPerMinute, tokensPerMinute, concurrency })
  const { disabled } = row
  const terms = { disabled, models, expiresAtMs, addresses, budgets, limits, policy: readPolicy(row.policy) }
  return { id, accountId, name, prefix, ...terms, revoked: revokedAtMs !== null, version }
}

/** A management key, without the hash of its secret. */
export function managementKeyRow(row: InferSelectModel<typeof tables.managementKey>): ManagementKey {
  const { id, name, prefix, scopes, createdAtMs, expiresAtMs, revokedAtMs, version } = row
  return { id, name, prefix, scopes, createdAtMs, expiresAtMs, revokedAtMs, version }
}

/** An entry, with what remains of the lot that it granted; null: it granted none. */
export function entryRow(
  { requestId, expiresAtMs, lot, ...row }: InferSelectModel<typeof tables.entry>,
  remaining: Money | null,
): Entry {
  return {
    ...row,
    ...(requestId === null ? {} : { requestId }),
    ...(expiresAtMs === null ? {} : { expiresAtMs }),
    ...(lot === null ? {} : { lot }),
    ...(remaining === null ? {} : { remaining }),
  }
}

/** A hold that is still open. */
export const holdRow = ({ requestId, accountId, keyId, openedAtMs, amount, covers }: HoldColumns): Hold => ({
  requestId,
  accountId,
  keyId,
  openedAtMs,
  amount,
  covers,
})

/** All that keeps a backend out, or kept it out. */
export function quarantineRow(row: QuarantineColumns): QuarantineRow {
  const { backend, version, operatorBy: by, operatorReason: reason, operatorSinceMs: sinceMs } = row
  const isSet = by !== null && reason !== null && sinceMs !== null
  return {
    backend,
    version,
    failures: failuresOf(row),
    throttle: throttleOf(row),
    credentials: row.credentials ?? [],
    operator: isSet ? { by, reason, sinceMs, untilMs: row.operatorUntilMs } : null,
  }
}

function failuresOf(row: QuarantineColumns): FailureCause | null {
  const { failuresSinceMs: sinceMs, failuresUntilMs: untilMs, failuresBackoffMs: backoffMs } = row
  const { failuresCount: count, failuresStreak: streak, failuresEvidence: evidence } = row
  const isWhole = sinceMs !== null && untilMs !== null && backoffMs !== null && count !== null
  if (!isWhole || streak === null || evidence === null) return null
  return { sinceMs, untilMs, backoffMs, count, streak, lastStatus: row.failuresLastStatus, evidence }
}

function throttleOf(row: QuarantineColumns): ThrottleCause | null {
  const { throttleSinceMs: sinceMs, throttleUntilMs: untilMs, throttleBackoffMs: backoffMs } = row
  const { throttleSource: source, throttleEvidence: evidence } = row
  if (sinceMs === null || untilMs === null || backoffMs === null || source === null || evidence === null) return null
  return { sinceMs, untilMs, backoffMs, source, evidence }
}

/** A credential that an account brought, its secret sealed. */
export function sealedCredential(row: InferSelectModel<typeof tables.ownCredential>): SealedCredential {
  const { faultCause: cause, faultReason: reason, faultSinceMs: sinceMs, faultUntilMs: untilMs, ...columns } = row
  return { ...columns, fault: cause === null || sinceMs === null ? null : { cause, reason, sinceMs, untilMs } }
}

/** A settlement; `covered` is null when no offer served. */
export function settlementView(row: SettlementColumns): SettlementView {
  const { seq, requestId, accountId, keyId, ending, reason, usageSource, offer, backend, prices } = row
  const { cost, charged, overrun, expense, held, endedAtMs } = row
  return {
    seq,
    requestId,
    accountId,
    keyId,
    end: ending,
    reason,
    usage: usageOf(row),
    usageSource,
    covered: offer === null || backend === null || prices === null ? null : { offer, backend, ...prices },
    cost,
    charged,
    overrun,
    expense,
    held,
    heldAtMs: row.heldAtMs ?? endedAtMs,
    endedAtMs,
  }
}

/** A request with its attempts; null for a row that has money alone: its details were lost in a crash. */
export function storedRecord(row: RequestColumns, attempts: readonly AttemptColumns[]): StoredRecord | null {
  const { generationId, operation, status, startedAtMs } = row
  if (generationId === null || operation === null || status === null || startedAtMs === null) return null
  const { requestId, clientRequestId, accountId, keyId, modelAsked, model, backend, stream, errorCode, skips } = row
  return {
    requestId,
    generationId,
    clientRequestId,
    accountId,
    keyId,
    operation,
    modelAsked,
    model,
    backend,
    stream: stream ?? false,
    status,
    errorCode,
    startedAtMs,
    timing: timingOf(row),
    skips: skips ?? [],
    attempts: attempts.map(attemptRecord),
    ...(row.finishReason === null ? {} : { finishReason: row.finishReason }),
    ...(row.client === null ? {} : { client: row.client }),
    ...(row.stickiness === null ? {} : { stickiness: row.stickiness }),
    ...(row.router === null ? {} : { router: row.router }),
    settlement: settlementOf(row),
  }
}

function settlementOf(row: RequestColumns): StoredRecord['settlement'] {
  const { ending: end, reason, usageSource, cost, charged, held } = row
  if (end === null || reason === null || cost === null || charged === null || held === null) return null
  return { end, reason, usage: usageOf(row), usageSource, cost, charged, held, owner: row.owner }
}

const timingOf = (row: RequestColumns): StoredRecord['timing'] => ({
  gwUs: row.gwUs ?? 0,
  stages: row.stages ?? [],
  upstreamUs: row.upstreamUs ?? 0,
  postUs: row.postUs ?? 0,
  postHoldUs: row.postHoldUs ?? 0,
  totalUs: row.totalUs ?? 0,
  endedUs: row.endedUs ?? 0,
})

function attemptRecord(row: AttemptColumns): AttemptRecord {
  const { number, offer, backend, credential, outcome, reason, status, startedUs, endedUs, absorbed } = row
  const { dnsUs, connectUs, tlsUs, writeUs, firstByteUs, connection, connectionAgeMs } = row
  const timing = { dnsUs, connectUs, tlsUs, writeUs, firstByteUs, connection, connectionAgeMs }
  const told = { number, offer, backend, credential, outcome, reason, status, startedUs, endedUs, timing, absorbed }
  const named = row.providerRequestId === null ? told : { ...told, providerRequestId: row.providerRequestId }
  return row.possibleCost === null ? named : { ...named, possibleCost: row.possibleCost }
}

type Units = Pick<
  RequestColumns,
  'unitsInput' | 'unitsCachedInput' | 'unitsCacheWrite' | 'unitsOutput' | 'unitsReasoning' | 'unitsMore'
>

const usageOf = (row: Units): Usage => ({
  input: row.unitsInput ?? 0,
  cachedInput: row.unitsCachedInput ?? 0,
  cacheWrite: row.unitsCacheWrite ?? 0,
  output: row.unitsOutput ?? 0,
  reasoning: row.unitsReasoning ?? 0,
  ...row.unitsMore,
})
