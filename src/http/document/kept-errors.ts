import type { ErrorCode } from '../../domain/index.ts'

/** What may come of asking for something that a provider keeps, beside what every operation has. */
export const KEPT_ERRORS: readonly ErrorCode[] = [
  'not_stored',
  'address_not_permitted',
  'account_disabled',
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
