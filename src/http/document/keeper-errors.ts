import type { ErrorCode } from '../../domain/index.ts'
import { PROVIDER_ERRORS } from './provider-errors.ts'

/** What may come of having a provider keep something, beside what every operation has. */
export const KEEPER_ERRORS: readonly ErrorCode[] = ['region_restricted', 'model_not_permitted', ...PROVIDER_ERRORS]
