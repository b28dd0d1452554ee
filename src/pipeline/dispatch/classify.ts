import type { ReplyHead } from '../../agents/index.ts'
import { errorMarks, type Outcome, type ProviderError } from '../../domain/index.ts'
import { isTooLong } from './is-too-long.ts'

const ACCOUNT_FAULT = /insufficient_quota|billing|invalid_api_key|account_deactivated/i
// Only at its beginning: further on a message may quote the caller, whose words may not put a credential in doubt. Anthropic, OpenAI, Gemini.
const ACCOUNT_FAULT_WORDS = /^(your credit balance|you exceeded your current quota|api key not valid)/i
const OVERLOADED = 529
const NOT_IMPLEMENTED = 501 // llama.cpp to operations that it was not started for: a caller who asks for one may not take it out
const RETRY_AFTER_MS_MAX = 3_600_000
const MAY_BE_TOO_LONG = new Set([400, 413, 422])
const UNNAMED = 400 // what an error without a status may be, by its code and message
const TRANSIENT = new Set([408, 409, 425])

/** What a complete answer with a status other than 2xx means. `nowMs` is wall time, for Retry-After dates. */
export function classify(head: ReplyHead, said: ProviderError, nowMs: number): Outcome {
  const { status } = head
  const error = { ...said, status } // the body may name another
  const retryAfterMs = retryAfterOf(head, nowMs)
  if (status === 401 || status === 402 || status === 403) return { kind: 'denied', error }
  if (status === 400 && isAccountFault(error)) return { kind: 'denied', error }
  if (MAY_BE_TOO_LONG.has(status) && isTooLong(error)) return { kind: 'too_long', error }
  if (status === 429 || status === OVERLOADED || (status === 503 && retryAfterMs !== null))
    return { kind: 'throttled', error, retryAfterMs }
  const isCallersFault = status >= 400 && status < 500 && !TRANSIENT.has(status)
  if (isCallersFault || status === NOT_IMPLEMENTED) return { kind: 'refused', error, usage: null }
  return { kind: 'failed', reason: 'status', status, message: `answered with status ${status}` }
}

/**
 * What an error in the body or the first events of a 2xx means: by the status that it names, where it names one, so that the backend is not
 * blamed for a caller's fault or a credential's. Else it is the backend's failure.
 */
export function classifyWithin(error: ProviderError): Outcome {
  const { status } = error
  const named = classify({ status: status < 300 ? UNNAMED : status, headers: [] }, error, 0)
  if (named.kind === 'too_long' || named.kind === 'denied') return named
  if (status >= 300 && named.kind !== 'failed') return named
  return { kind: 'failed', reason: 'error_in_answer', status: null, message: errorMarks(error) }
}

const isAccountFault = ({ code, type, message }: ProviderError): boolean =>
  ACCOUNT_FAULT.test(`${code} ${type}`) || ACCOUNT_FAULT_WORDS.test(message)

/** `retry-after-ms`, else `retry-after` in seconds or as a date, as ms from now: never negative, at most an hour. Null when absent or unreadable. */
function retryAfterOf({ headers }: ReplyHead, nowMs: number): number | null {
  const ms = millisecondsOf(headerOf(headers, 'retry-after-ms'), 1) ?? secondsOrDateOf(headers, nowMs)
  return ms === null ? null : Math.min(RETRY_AFTER_MS_MAX, Math.max(0, Math.round(ms)))
}

function secondsOrDateOf(headers: ReplyHead['headers'], nowMs: number): number | null {
  const value = headerOf(headers, 'retry-after')
  const atMs = Date.parse(value ?? '')
  return millisecondsOf(value, 1000) ?? (Number.isNaN(atMs) ? null : atMs - nowMs)
}

const millisecondsOf = (value: string | undefined, unitMs: number): number | null =>
  value !== undefined && /^\d+(\.\d+)?$/.test(value) ? Number(value) * unitMs : null

const headerOf = (headers: ReplyHead['headers'], wanted: string): string | undefined =>
  headers.find(([name]) => name === wanted)?.[1]?.trim()
