import { GatewayError } from '../domain/index.ts'
import { type Call, leaving } from './call.ts'

/** The error of what a provider had as a whole, and may have done: sent again it would be done twice, unless the operator says so. */
export const notAgain = ({ settings }: Pick<Call, 'settings'>, error: GatewayError): GatewayError =>
  settings.replies.noRetryAfterSend
    ? new GatewayError(error.code, error.message, { ...error.details, retryable: false })
    : error

/** The error of a call that must stop, after what may have been done (`mayHaveRun`) or before; null while it need not. */
export function leftAfter(call: Call, mayHaveRun: boolean): GatewayError | null {
  const left = leaving(call)
  return left !== null && mayHaveRun ? notAgain(call, left) : left
}
