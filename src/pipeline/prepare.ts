import { type CallerHead, dialectOf } from '../dialects/index.ts'
import type { DialectName, OperationName } from '../domain/index.ts'
import type { PreparedRequest } from './handover.ts'

/** Raw bytes -> prepared request. Throws 400 with the position or the field. */
export function prepare(
  dialect: DialectName,
  operation: OperationName,
  body: Uint8Array,
  caller: CallerHead,
): PreparedRequest {
  const { readRequest, passedOn } = dialectOf(dialect)
  return { dialect, facts: readRequest(operation, withoutMark(body)), passed: passedOn(caller) }
}

/** A UTF-8 byte order mark before JSON may be ignored (RFC 8259, 8.1), must not be passed on, and is what some editors and shells write. */
function withoutMark(body: Uint8Array): Uint8Array {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body
}
