import type { SQLQueryBindings } from 'bun:sqlite'
import type { AttemptRecord } from '../../domain/index.ts'
import type { RequestRecord } from '../contract.ts'

/** A record as it crosses to the writer thread and is bound there: values alone, in the order of its statements' columns. */
export type RecordValues = readonly [
  details: readonly [requestId: string, ...others: SQLQueryBindings[]],
  attempts: readonly (readonly SQLQueryBindings[])[],
]

/** The values of a request's row and of those of its attempts. */
export const recordValues = (record: RequestRecord): RecordValues => [
  detailValues(record),
  record.attempts.map((attempt) => attemptValues(record.requestId, attempt)),
]

function detailValues(record: RequestRecord): RecordValues[0] {
  const { timing } = record
  return [
    record.requestId,
    record.generationId,
    record.clientRequestId,
    record.accountId,
    record.keyId,
    record.operation,
    record.modelAsked,
    record.model,
    record.backend,
    record.stream,
    record.status,
    record.errorCode,
    record.startedAtMs,
    timing.gwUs,
    JSON.stringify(timing.stages),
    timing.upstreamUs,
    timing.postUs,
    timing.postHoldUs,
    timing.totalUs,
    timing.endedUs,
    record.skips.length === 0 ? '[]' : JSON.stringify(record.skips),
    record.stickiness === undefined ? null : JSON.stringify(record.stickiness),
    record.router ?? null,
    record.finishReason ?? null,
    record.client === undefined ? null : JSON.stringify(record.client),
  ]
}

function attemptValues(requestId: string, attempt: AttemptRecord): SQLQueryBindings[] {
  const { timing } = attempt
  return [
    requestId,
    attempt.number,
    attempt.offer,
    attempt.backend,
    attempt.credential,
    attempt.outcome,
    attempt.reason,
    attempt.status,
    attempt.startedUs,
    attempt.endedUs,
    timing.dnsUs,
    timing.connectUs,
    timing.tlsUs,
    timing.writeUs,
    timing.firstByteUs,
    timing.connection,
    timing.connectionAgeMs,
    attempt.absorbed,
    attempt.possibleCost ?? null,
    attempt.providerRequestId ?? null,
  ]
}
