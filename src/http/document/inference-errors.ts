import type { ErrorCode } from '../../domain/index.ts'

/** What may come of any request that a provider works on, beside what every operation with a body has. */
export const INFERENCE_ERRORS: readonly ErrorCode[] = [
  'address_not_permitted',
  'insufficient_credits',
  'key_budget_exceeded',
  'account_disabled',
  'model_not_permitted',
  'region_restricted',
  'privacy_restricted',
  'model_not_found',
  'wrong_endpoint',
  'request_timeout',
  'body_too_large',
  'unsupported_encoding',
  'head_too_large',
  'provider_refused',
  'rate_limit_exceeded',
  'too_many_requests_in_flight',
  'no_capacity',
  'no_backend',
  'shutting_down',
  'provider_failed',
  'provider_unreachable',
  'upstream_credentials_rejected',
  'provider_timeout',
  'stream_broken',
]
