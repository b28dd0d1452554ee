import type { ReplyHead } from '../../agents/index.ts'
import type { Outcome, ProviderError } from '../../domain/index.ts'

const ACCOUNT_FAULT = /insufficient_quota|billing|invalid_api_key|account_deactivated/i
// Only at its beginning: further on a message may quote the caller, whose words may not put a credential in doubt. Anthropic, OpenAI, Gemini.
const ACCOUNT_FAULT_WORDS = /^(your credit balance|you exceeded your current quota|api key not valid)/i
const OVERLOADED = 529
const RETRY_AFTER_MS_MAX = 3_600_000
const TRANSIENT = new Set([408, 409, 425])

/** What a complete answer with a status other than 2xx means: ROUTING.md's table of outcomes. `nowMs` is wall time, for Retry-After dates. */
export function classify(head: ReplyHead, said: ProviderError, nowMs: number): Outcome {
  const { status } = head
  const error = { ...said, status } // the body may name another
  const retryAfterMs = retryAfterOf(head, nowMs)
  if (status === 401 || status === 402 || status === 403) return { kind: 'denied', error }
  if (status === 400 && isAccountFault(error)) return { kind: 'denied', error }
  if (status === 429 || status === OVERLOADED || (status === 503 && retryAfterMs !== null))
    return { kind: 'throttled', error, retryAfterMs }
  if (status >= 400 && status < 500 && !TRANSIENT.has(status)) return { kind: 'refused', error }
  return { kind: 'failed', reason: 'status', status, message: `answered with status ${status}` }
}

const isAccountFault = ({ code, type, message }: ProviderError): boolean =>
  ACCOUNT_FAULT.test(`${code} ${type}`) || ACCOUNT_FAULT_WORDS.test(message)

/** Retry-After in seconds or as a date, as ms from now: never negative, at most an hour. Null when absent or unreadable. */
function retryAfterOf({ headers }: ReplyHead, nowMs: number): number | null {
  const value = headers.find(([name]) => name === 'retry-after')?.[1]?.trim()
  if (value === undefined) return null
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs
  return Number.isNaN(ms) ? null : Math.min(RETRY_AFTER_MS_MAX, Math.max(0, Math.round(ms)))
}
