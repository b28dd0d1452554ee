import type { ErrorCode } from '../../domain/index.ts'
import { KEEPER_ERRORS } from './keeper-errors.ts'

/** What may come of asking for something that a provider keeps, beside what every operation has. */
export const KEPT_ERRORS: readonly ErrorCode[] = ['not_stored', ...KEEPER_ERRORS]

/** What may come of asking what of it an account has. */
export const KEPT_LIST_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'rate_limit_exceeded',
  'too_many_requests_in_flight',
  'shutting_down',
]
