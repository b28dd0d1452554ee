import type { OpenTraffic } from '../pipeline/index.ts'
import type { Store } from '../store/index.ts'

/** Whether requests can be served now; the reason when not. `backends` is how many could serve one. */
export function readinessOf(
  store: Store,
  traffic: OpenTraffic,
  backends: number,
): { readonly ready: boolean; readonly reason: string | null } {
  if (traffic.draining) return { ready: false, reason: 'draining' }
  if (!store.writer.accepting()) return { ready: false, reason: 'the ledger cannot be written' }
  if (backends === 0) return { ready: false, reason: 'no backend is configured and enabled' }
  return { ready: true, reason: null }
}
