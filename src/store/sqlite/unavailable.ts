import { etagOf, GatewayError } from '../../domain/index.ts'
import type { Refused } from './command-end.ts'

/** The error of what cannot be written now. */
export function unavailable(internal?: string): GatewayError {
  const details = internal === undefined ? {} : { internal }
  return new GatewayError('storage_unavailable', 'The ledger cannot be written. Please try again later.', details)
}

/** The error of a change that was refused. It tells the version that the change should have been meant for. */
export function refusalOf({ code, message, version }: Refused): GatewayError {
  return new GatewayError(code, message, version === undefined ? {} : { headers: { etag: etagOf(version) } })
}
