import type { AnswerMark, PublicError } from '../surface.ts'
import { writeResponseError } from './response-error.ts'

/** `{"error": {"message", "type", "param", "code", …}}`: the SDKs need all four keys (WIRE.md, 4). */
export const writeError = (error: PublicError): Uint8Array => Buffer.from(jsonOf(error))

/** The same as an event. It has no `event:` line, and no `[DONE]` follows: both hide the error from some clients (WIRE.md, 3.4). Responses have a form of their own. */
export const writeErrorEvent = (error: PublicError, mark: AnswerMark): Uint8Array =>
  mark.operation === 'responses' ? writeResponseError(error, mark) : Buffer.from(`data: ${jsonOf(error)}\n\n`)

const jsonOf = ({ message, type, param, code, extra }: PublicError): string =>
  JSON.stringify({ error: { message, type, param, code, ...extra } })
