import type { ErrorCode } from '../../domain/index.ts'
import { PROVIDER_ERRORS } from './provider-errors.ts'

/** What may come of any request that a provider works on, beside what every operation with a body has. */
export const INFERENCE_ERRORS: readonly ErrorCode[] = [
  'insufficient_credits',
  'key_budget_exceeded',
  'model_not_permitted',
  'region_restricted',
  'privacy_restricted',
  'model_not_found',
  'no_matching_backend',
  'context_length_exceeded',
  'wrong_endpoint',
  'request_timeout',
  ...PROVIDER_ERRORS,
  'stream_broken',
]
