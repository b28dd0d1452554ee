import type { CallerHead, PassedOn } from '../dialects/index.ts'
import { isFieldValue } from '../lib/index.ts'

/** Version, trace, span and flags. Of a later version more may follow. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-[\x21-\x7e]*)?$/
const TRACESTATE_CHARS_MAX = 512

/**
 * What reaches the provider, with the caller's trace (W3C Trace Context): `traceparent` when it has its form, and `tracestate` with it.
 * The gateway makes no span of its own, so both go on as they came.
 */
export function withTrace(passed: PassedOn, { headers }: CallerHead): PassedOn {
  const parent = headers.get('traceparent')
  if (parent === null || !TRACEPARENT.test(parent)) return passed
  const state = headers.get('tracestate')
  const trace: [string, string][] = [['traceparent', parent]]
  if (state && state.length <= TRACESTATE_CHARS_MAX && isFieldValue(state)) trace.push(['tracestate', state])
  return { ...passed, headers: [...passed.headers, ...trace] }
}
