import { GatewayError, SCOPES, type Scope } from '../../domain/index.ts'
import type { By } from '../../store/index.ts'

/** Who calls the admin API, and what they may do. */
export interface Caller {
  /** For the audit: `local:<uid>`, or `key:` and a management key's id. */
  readonly actor: string
  readonly scopes: ReadonlySet<Scope>
}

/** Known from the way in until the request is forgotten. */
const callers = new WeakMap<Request, Caller>()

/** Says who a request comes from, before it is handled. */
export function setCaller(request: Request, caller: Caller): void {
  callers.set(request, caller)
}

/** Whether the way in has said who calls. */
export const hasCaller = (request: Request): boolean => callers.has(request)

/** Who calls. Throws 401 for a request that came in by no known way. */
export function callerOf(request: Request): Caller {
  const caller = callers.get(request)
  if (caller === undefined) throw new GatewayError('missing_api_key', 'The admin API takes a management key.')
  return caller
}

/** Who calls, as the audit names them, for a change without an idempotency key. */
export const byCaller = (request: Request): By => ({ actor: callerOf(request).actor, claim: null })

/** The caller who has this machine's permission: everything. */
export const localCaller = (actor: string): Caller => ({ actor, scopes: new Set(SCOPES) })

/** Throws 403 when the caller has not this scope. */
export function requireScope(request: Request, scope: Scope, what: string): void {
  if (callerOf(request).scopes.has(scope)) return
  throw new GatewayError('insufficient_scope', `${what} needs a management key with the scope '${scope}'.`)
}
