import type { ErrorCode } from '../../domain/index.ts'
import { PROVIDER_ERRORS } from './provider-errors.ts'

/** What may come of asking for something that a provider keeps, beside what every operation has. */
export const KEPT_ERRORS: readonly ErrorCode[] = [
  'not_stored',
  'region_restricted',
  'model_not_permitted',
  ...PROVIDER_ERRORS,
]
