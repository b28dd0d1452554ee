import type { ErrorCode } from '../../domain/index.ts'

/** What may come of asking what there is: models, offers, providers. */
export const LISTING_ERRORS: readonly ErrorCode[] = ['too_many_requests_in_flight', 'shutting_down']
