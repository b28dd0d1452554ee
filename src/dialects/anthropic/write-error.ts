import { eventText } from '../../lib/index.ts'
import { givenFields } from '../given.ts'
import type { PublicError } from '../surface.ts'
import { errorTypeOf } from './error-type-of.ts'

/** `{"type": "error", "error": {"type", "message", …}, "request_id"}`, with our code and the param beside the message where there is one. */
export const writeError = (error: PublicError): Uint8Array => Buffer.from(JSON.stringify(envelopeOf(error)))

/** The same as an event, with its name: SDKs pass over events without one. Nothing follows it, no `message_stop` either. */
export const writeErrorEvent = (error: PublicError): Uint8Array => Buffer.from(eventText(envelopeOf(error)))

/** The body of an error, `more` among the fields of its inner object. */
export function envelopeOf({ status, message, code, param, requestId, extra }: PublicError, more: object = {}) {
  const told = { type: errorTypeOf(status), message, ...more, ...givenFields({ code, param }), ...extra }
  return { type: 'error', error: told, request_id: requestId }
}
