import type { ErrorCode, GatewayError } from '../domain/index.ts'
import { askedOrigin } from '../lib/index.ts'
import type { Call } from './call.ts'

/** OpenRouter's codes of why a model cannot be had, by ours. */
const CODES: Readonly<Partial<Record<ErrorCode, string>>> = {
  model_not_found: 'model_not_found',
  model_not_permitted: 'no_endpoints',
  wrong_endpoint: 'wrong_endpoint',
  no_matching_backend: 'constraint_filtered',
  context_length_exceeded: 'constraint_filtered',
  region_restricted: 'region_restricted',
  privacy_restricted: 'privacy_restricted',
  no_backend: 'temporarily_unavailable',
  no_capacity: 'capacity_exhausted',
}

/** `error.availability` in OpenRouter's words (OPENROUTER.md, 2c): why a model cannot be had, and whether it can be later. Null: the error is of another kind. */
export function availabilityOf(call: Call, error: GatewayError): object | null {
  const code = CODES[error.code]
  if (code === undefined) return null
  const { retryAfterS } = error
  const { extra = {} } = error.details
  const excludedBy = Array.isArray(extra.excluded_by) ? extra.excluded_by : []
  const [field] = excludedBy
  return {
    code,
    retryable: error.retryable && retryAfterS !== null,
    retry_after: retryAfterS,
    requested_models: [...(call.modelAsked === null ? [] : [call.modelAsked]), ...call.fallbacks],
    affected_providers: providersOf(call),
    excluded_by: excludedBy,
    fallback_models: call.fallbacks,
    constraint: field === undefined ? null : { field, detail: error.message },
    docs_url: docsUrl(call),
  }
}

/** Where the gateway describes what may be asked of it. */
function docsUrl({ arrival }: Call): string | null {
  const origin = askedOrigin(arrival.request)
  return origin === null ? null : `${origin}/swagger`
}

/** Backends that were passed over or failed; nobody where they are hidden. */
function providersOf({ skips, attempts, settings }: Call): readonly string[] {
  if (settings.replies.hideBackends) return []
  return [...new Set([...skips, ...attempts].map(({ backend }) => backend))].filter((name) => name !== '')
}
