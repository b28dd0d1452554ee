import type { Scope } from '../../domain/index.ts'

/** Questions that need a body, or work so much that a GET would mislead. */
const ASKING: ReadonlySet<string> = new Set(['/admin/v1/ledger/verify', '/admin/v1/route'])
const MONEY = /^\/admin\/v1\/credits(\/|$)/

/**
 * The scope that a request needs, by its method and path alone: `read` to look, `credits` to move money, `write` for every other change,
 * so that a route nobody thought of here asks for more rather than less.
 */
export function scopeOf(method: string, pathname: string): Scope {
  if (method === 'GET' || method === 'HEAD' || ASKING.has(pathname)) return 'read'
  return MONEY.test(pathname) ? 'credits' : 'write'
}
