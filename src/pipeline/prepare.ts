import { type CallerHead, dialectOf, withoutMark } from '../dialects/index.ts'
import type { DialectName, OperationName } from '../domain/index.ts'
import type { PreparedRequest, ReceivedForm } from './handover.ts'
import { withTrace } from './with-trace.ts'

/** Raw bytes -> prepared request. Throws 400 with the position or the field. */
export function prepare(
  dialect: DialectName,
  operation: OperationName,
  body: Uint8Array,
  caller: CallerHead,
): PreparedRequest {
  const { readRequest, passedOn } = dialectOf(dialect)
  return { dialect, facts: readRequest(operation, withoutMark(body)), passed: withTrace(passedOn(caller), caller) }
}

/** The same of a form, of which more may be to come. Throws 400 with the field. */
export function prepareForm(
  dialect: DialectName,
  { form, body, upload }: ReceivedForm,
  caller: CallerHead,
): PreparedRequest {
  const isWhole = upload === null
  const facts = form.facts({ body, bodyBytes: isWhole ? body.byteLength : upload.bodyBytes, isWhole })
  const prepared = { dialect, facts, passed: withTrace(dialectOf(dialect).passedOn(caller), caller) }
  return isWhole ? prepared : { ...prepared, upload }
}
