import type { Money } from './money.ts'
import type { Usage } from './usage.ts'

/** How a connection came to serve an attempt. */
export type ConnectionUse = 'new' | 'kept' | 'resent' | 'unsent'

/** Where the time of one exchange with a backend went, in microseconds; null for what did not happen. */
export interface ExchangeTiming {
  readonly dnsUs: number | null
  readonly connectUs: number | null
  readonly tlsUs: number | null
  readonly writeUs: number | null
  readonly firstByteUs: number | null
  readonly connection: ConnectionUse
  readonly connectionAgeMs: number | null
}

/** What a provider said of an error, already stripped of secrets. */
export interface ProviderError {
  readonly status: number
  readonly message: string
  readonly type: string | null
  readonly code: string | null
  readonly param: string | null
}

/**
 * How an attempt or an unsent dial ended. `consequenceOf` has the table of what each means for the next step, blame and charge.
 * `cancelled.sent` tells whether the request had been written completely: then the provider may have worked on it.
 */
export type Outcome =
  | { readonly kind: 'succeeded' }
  /** The client's own fault. `usage` is what the provider reported with its refusal. */
  | { readonly kind: 'refused'; readonly error: ProviderError; readonly usage: Usage | null }
  /** More than this offer's context takes: another's may be larger. */
  | { readonly kind: 'too_long'; readonly error: ProviderError }
  | { readonly kind: 'throttled'; readonly error: ProviderError; readonly retryAfterMs: number | null }
  | { readonly kind: 'denied'; readonly error: ProviderError }
  | { readonly kind: 'unsent'; readonly reason: UnsentReason; readonly message: string }
  | { readonly kind: 'failed'; readonly reason: FailedReason; readonly status: number | null; readonly message: string }
  | { readonly kind: 'broken'; readonly reason: FailedReason; readonly message: string }
  | { readonly kind: 'cancelled'; readonly by: CancelledBy; readonly sent: boolean }

/** `no_room`: the gateway has as many connections, or files open, as it may. */
export type UnsentReason =
  | 'dns'
  | 'connect'
  | 'connect_timeout'
  | 'tls'
  | 'proxy' // on the way to the outbound proxy, or at it
  | 'address' // one that must not be dialled for a customer
  | 'no_room'

export type FailedReason =
  | 'status' // a 5xx, a redirect, or another status that is the provider's own trouble
  | 'framing' // bytes that are no HTTP message, or more than its bounds allow
  | 'reset' // the connection ended before the message did
  | 'first_content_timeout'
  | 'total_timeout'
  | 'idle_timeout'
  | 'error_in_answer' // status 200, and an error in its body or first events
  | 'not_an_answer' // status 200, and a body of another kind (HTML, empty, another dialect)
  | 'ended_early' // a stream that ended without a finish_reason

export type CancelledBy = 'client' | 'client_stall' | 'credit' | 'storage' | 'shutdown'

/** One request actually sent to a candidate, or a dial that came to nothing, as it is recorded. */
export interface AttemptRecord {
  readonly number: number
  readonly offer: string
  readonly backend: string
  readonly credential: string | null
  readonly outcome: Outcome['kind']
  /** The refinement of the outcome, e.g. the failed reason. */
  readonly reason: string | null
  readonly status: number | null
  /** The provider's own id of the request; absent: it told none. */
  readonly providerRequestId?: string
  readonly startedUs: number
  readonly endedUs: number
  readonly timing: ExchangeTiming
  /** The request may have been executed without serving the caller. */
  readonly absorbed: boolean
  /** What it may have cost the operator, where it did not serve; absent for one that cannot have. */
  readonly possibleCost?: Money
}

const MISSING: ReadonlySet<number> = new Set([404, 405, 410, 501])

/** The provider has no such model, or no such operation: another may have it. */
export const lacksIt = (outcome: Outcome): boolean => outcome.kind === 'refused' && MISSING.has(outcome.error.status)

/** The gateway itself had no connection to spare: no backend is to blame. */
export const hadNoRoom = (outcome: Outcome): boolean => outcome.kind === 'unsent' && outcome.reason === 'no_room'

const MARK = /^[\w.:-]{1,64}$/

/** What a log may hold of a provider's error: its status, type and code. Its message may quote the prompt. */
export function errorMarks({ status, type, code }: ProviderError): string {
  const marks = [type, code].filter((mark) => mark !== null && MARK.test(mark))
  return `the provider reported an error (${[`status ${status}`, ...marks].join(', ')})`
}
