import { dialectOf } from '../dialects/index.ts'
import type { DialectName, OperationName } from '../domain/index.ts'
import type { PreparedRequest } from './handover.ts'

/** Raw bytes -> prepared request. Throws 400 with the position or the field. */
export function prepare(dialect: DialectName, operation: OperationName, body: Uint8Array): PreparedRequest {
  return { dialect, facts: dialectOf(dialect).readRequest(operation, body) }
}
