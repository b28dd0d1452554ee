import { GatewayError } from '../../domain/index.ts'

/** Throws 400 for an `expires_at_ms` that has come already; `advice` says what to do instead. */
export function refusePast(expiresAtMs: number | null | undefined, nowMs: number, advice = ''): void {
  if (typeof expiresAtMs !== 'number' || expiresAtMs > nowMs) return
  throw new GatewayError('invalid_request', `'expires_at_ms' is in the past.${advice}`, { param: 'expires_at_ms' })
}
