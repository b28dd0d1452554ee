import { type PublicError, type SurfaceName, surfaceOf } from '../dialects/index.ts'
import { errorRow, GatewayError } from '../domain/index.ts'
import { ReadDeadline } from '../lib/index.ts'
import { availabilityOf } from './availability.ts'
import type { Call } from './call.ts'
import { explanationOf } from './explanation.ts'
import { rateHeaders } from './rate-headers.ts'
import { unansweredMark } from './reply-view.ts'
import { routingMetadata, wantsMetadata } from './routing-metadata.ts'
import { formatOpenTiming, formatServerTiming, type Timing } from './timing.ts'

/** The whole of a plain answer. */
export function plainAnswer(call: Call, timing: Timing, body: Uint8Array, mediaType = 'application/json'): Response {
  const headers = commonHeaders(call, timing)
  headers['content-type'] = mediaType
  return new Response(body, { headers })
}

/** A streamed answer. Proxies in front must pass it on as it comes. */
export function streamAnswer(call: Call, timing: Timing, body: ReadableStream<Uint8Array>): Response {
  return new Response(body, { headers: { ...commonHeaders(call, timing), ...STREAM_HEADERS } })
}

/** Bytes of a medium, as they come. */
export function mediumAnswer(
  call: Call,
  timing: Timing,
  mediaType: string,
  body: ReadableStream<Uint8Array>,
): Response {
  const headers = { ...commonHeaders(call, timing), ...STREAM_HEADERS, 'content-type': mediaType }
  return new Response(body, { headers })
}

/** A streamed answer whose head goes out before there is any: it says what is known of its time, and nothing that depends on an attempt. */
export function openAnswer(call: Call, timing: Timing, body: ReadableStream<Uint8Array>): Response {
  const headers = { ...headersOf(call), 'server-timing': formatOpenTiming(timing), ...STREAM_HEADERS }
  return new Response(body, { headers })
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

/** An error answer in the form of the caller's surface. */
export function errorAnswer(call: Call, timing: Timing, error: GatewayError): Response {
  const body = surfaceOf(call.arrival.surface).writeError(errorShown(call, error))
  return new Response(body, {
    status: error.status,
    headers: { ...commonHeaders(call, timing), ...errorHeaders(error) },
  })
}

function commonHeaders(call: Call, timing: Timing): Record<string, string> {
  const headers = headersOf(call)
  headers['server-timing'] = formatServerTiming(timing, call.settings.replies.hideBackends)
  if (call.explain !== null) headers['x-anyrouter-explain'] = explanationOf(call, call.explain)
  return headers
}

/** A request's id under the names that callers of this surface read it by (WIRE.md, 1). */
export const idHeaders = (requestId: string, surface: SurfaceName): Record<string, string> =>
  surfaceOf(surface).dialect === 'anthropic'
    ? { 'x-request-id': requestId, 'request-id': requestId }
    : { 'x-request-id': requestId }

/** What every answer says, whatever came of it. */
function headersOf(call: Call): Record<string, string> {
  const headers: Record<string, string> = idHeaders(call.requestId, call.arrival.surface)
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
  if (retryAfterMs !== undefined) {
    headers['retry-after'] = String(error.retryAfterS)
    headers['retry-after-ms'] = String(Math.max(1, Math.ceil(retryAfterMs))) // SDKs look at it first
  }
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

/** The same of a request: where its surface has a place for it, with how it was routed. */
function errorShown(call: Call, error: GatewayError): PublicError {
  const shown = publicError(error, call.requestId)
  if (!surfaceOf(call.arrival.surface).isStamped) return shown
  const availability = availabilityOf(call, error)
  return {
    ...shown,
    ...(availability === null ? {} : { availability }),
    ...(wantsMetadata(call) ? { routing: routingMetadata(call, null) } : {}),
  }
}

/** The event that ends a stream which has no answer. When to try again stands in it: its head is gone. */
export function publicErrorEvent(call: Call, error: GatewayError): Uint8Array {
  const shown = errorShown(call, error)
  const { retryAfterS } = error
  const extra = retryAfterS === null ? shown.extra : { ...shown.extra, retry_after: retryAfterS }
  return surfaceOf(call.arrival.surface).writeErrorEvent({ ...shown, extra }, unansweredMark(call))
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
