import { dialectOf, type RequestFacts } from '../dialects/index.ts'
import type { DialectName, OperationName } from '../domain/index.ts'

/** A request that was understood: the caller's raw bytes, and what the gateway read of them. */
export interface PreparedRequest {
  readonly dialect: DialectName
  readonly facts: RequestFacts
}

/** Raw bytes -> prepared request. Throws 400 with the position or the field. */
export function prepare(dialect: DialectName, operation: OperationName, body: Uint8Array): PreparedRequest {
  return { dialect, facts: dialectOf(dialect).readRequest(operation, body) }
}
