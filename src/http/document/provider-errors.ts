import type { ErrorCode } from '../../domain/index.ts'

/** What may come of whatever is sent on to a provider. */
export const PROVIDER_ERRORS: readonly ErrorCode[] = [
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
]
