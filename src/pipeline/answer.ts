import { type PublicError, surfaceOf } from '../dialects/index.ts'
import { errorRow, GatewayError } from '../domain/index.ts'
import { ReadDeadline } from '../lib/index.ts'
import type { Call } from './call.ts'
import { rateHeaders } from './rate-headers.ts'
import { formatServerTiming, type Timing } from './timing.ts'

/** The whole of a plain answer. */
export function plainAnswer(call: Call, timing: Timing, body: Uint8Array): Response {
  return new Response(body, { headers: { ...commonHeaders(call, timing), 'content-type': 'application/json' } })
}

/** A streamed answer. Proxies in front must pass it on as it comes. */
export function streamAnswer(call: Call, timing: Timing, body: ReadableStream<Uint8Array>): Response {
  const headers = {
    ...commonHeaders(call, timing),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  }
  return new Response(body, { headers })
}

/** An error answer in the form of the caller's surface. */
export function errorAnswer(call: Call, timing: Timing, error: GatewayError): Response {
  const body = surfaceOf(call.arrival.surface).writeError(publicError(error, call.requestId))
  return new Response(body, {
    status: error.status,
    headers: { ...commonHeaders(call, timing), ...errorHeaders(error) },
  })
}

function commonHeaders(call: Call, timing: Timing): Record<string, string> {
  const headers: Record<string, string> = {
    'x-request-id': call.requestId,
    'server-timing': formatServerTiming(timing),
  }
  if (surfaceOf(call.arrival.surface).isStamped) headers['x-generation-id'] = call.generationId
  if (call.admission !== null) Object.assign(headers, rateHeaders(call.admission.rates(), call.arrival.surface))
  return headers
}

/**
 * The headers an error adds: its content type, when to try again, and whether that can help, where SDKs would go by the status alone. A wait of
 * more than a minute they ignore, and come back after a second: then it cannot.
 */
export function errorHeaders(error: GatewayError): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'application/json', ...error.details.headers }
  const { retryAfterMs } = error.details
  if (retryAfterMs !== undefined) headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfterMs / 1000)))
  if (wouldBeRepeated(error.status))
    headers['x-should-retry'] = String(error.retryable && (retryAfterMs ?? 0) <= RETRY_AFTER_OBEYED_MS)
  return headers
}

const RETRY_AFTER_OBEYED_MS = 60_000
const wouldBeRepeated = (status: number): boolean => status === 408 || status === 409 || status === 429 || status >= 500

/** What a caller is shown of an error: public text only. */
export function publicError(error: GatewayError, requestId: string): PublicError {
  const { details } = error
  return {
    status: error.status,
    message: error.message,
    type: details.publicType ?? errorRow(error.code).type,
    code: details.publicCode === undefined ? error.code : details.publicCode,
    param: details.param ?? null,
    requestId,
    extra: details.extra ?? {},
  }
}

/** Any thrown value as a catalogued error: what is not one of ours is a bug, and its text stays inside. */
export function asGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown
  if (thrown instanceof ReadDeadline) {
    return new GatewayError('storage_unavailable', 'The database did not answer in time. Please try again.', {
      retryAfterMs: 1000,
      internal: thrown.message,
    })
  }
  const internal = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  return new GatewayError(
    'internal_error',
    'The gateway made a mistake. The request id finds it in the log of its operator.',
    { internal },
  )
}
