import { formatUsd, type GatewayError } from '../domain/index.ts'
import type { Settled } from '../ledger/index.ts'
import type { RequestRecord } from '../store/index.ts'
import type { Call } from './call.ts'
import { clientFacts } from './client-facts.ts'
import type { House } from './house.ts'
import type { Timing } from './timing.ts'

/** What an answer came to, for record and log. */
export interface Conclusion {
  readonly status: number
  readonly error: GatewayError | null
  /** The split as it was printed; the end of a stream is added here. */
  readonly timing: Timing
  readonly settled: Settled | null
}

/** Writes the request's record and its one log line, and counts it. The last thing that happens to a call. */
export function conclude(house: House, call: Call, conclusion: Conclusion): void {
  call.arrival.restoreIdleLimit()
  const record = recordOf(call, conclusion)
  house.records.write(record, call.keepsNothing)
  house.metrics.concluded(record)
  keepContent(house, call)
  logRequest(house, call, conclusion, record.timing.endedUs)
}

function keepContent(house: House, { content, requestId, accountId }: Call): void {
  if (content !== null && accountId !== null) house.contents.keep({ requestId, accountId, ...content.read() })
}

function recordOf(call: Call, { status, error, timing }: Conclusion): RequestRecord {
  const record: Writable<RequestRecord> = {
    requestId: call.requestId,
    generationId: call.generationId,
    clientRequestId: call.clientRequestId,
    accountId: call.accountId,
    keyId: call.keyId,
    operation: call.operation,
    modelAsked: call.modelAsked,
    model: call.model,
    backend: call.backend,
    stream: call.stream,
    status,
    errorCode: error?.code ?? null,
    startedAtMs: call.startedAtMs,
    timing: {
      gwUs: timing.gwUs,
      stages: timing.stages,
      upstreamUs: timing.upstreamUs,
      postUs: timing.postUs,
      postHoldUs: timing.postHoldUs,
      totalUs: timing.totalUs,
      endedUs: call.clock.elapsedUs(),
    },
    skips: call.skips,
    attempts: call.attempts,
  }
  // Few requests have them: spreading empty objects into each record costs more than to ask.
  const client = call.keepsNothing ? null : clientFacts(call.arrival.request.headers, call.session?.id)
  if (client !== null) record.client = client
  if (call.finishReason !== null) record.finishReason = call.finishReason
  if (call.stickiness !== null) record.stickiness = call.stickiness
  if (call.router !== null) record.router = call.router
  return record
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

function logRequest(house: House, call: Call, { status, error, timing, settled }: Conclusion, endedUs: number): void {
  const fields = {
    request_id: call.requestId,
    client_request_id: call.keepsNothing ? null : call.clientRequestId,
    operation: call.operation,
    account_id: call.accountId,
    key_id: call.keyId,
    model: call.model ?? (call.keepsNothing ? null : call.modelAsked),
    backend: call.backend,
    stream: call.stream,
    status,
    code: error?.code ?? null,
    attempts: call.attempts.length,
    gw_us: timing.gwUs,
    upstream_us: timing.upstreamUs,
    post_us: timing.postUs,
    ended_us: endedUs,
    charged_usd: settled === null ? null : formatUsd(settled.charged),
    internal: call.keepsNothing && error?.code !== 'internal_error' ? undefined : error?.details.internal,
  }
  if (error?.code === 'internal_error') house.log.error('request', fields)
  else house.log.info('request', fields)
}
