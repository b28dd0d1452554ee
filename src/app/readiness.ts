import type { Backend } from '../domain/index.ts'
import type { Health } from '../health/index.ts'
import type { OpenTraffic } from '../pipeline/index.ts'
import type { Store } from '../store/index.ts'

const NOTHING_CONFIGURED =
  'no backend is configured and enabled: set a key such as OPENAI_API_KEY, run anyrouter init, or try anyrouter --demo'

/** Whether requests can be served now; the reason when not. `backends` are those that the configuration would let serve one. */
export function readinessOf(
  store: Store,
  traffic: OpenTraffic,
  backends: readonly Backend[],
  health: Pick<Health, 'exclusion'>,
): { readonly ready: boolean; readonly reason: string | null } {
  if (traffic.draining) return { ready: false, reason: 'draining' }
  if (!store.writer.accepting()) return { ready: false, reason: 'the ledger cannot be written' }
  if (backends.length === 0) return { ready: false, reason: NOTHING_CONFIGURED }
  if (backends.every(({ id }) => health.exclusion(id) !== null))
    return { ready: false, reason: 'every backend is quarantined' }
  return { ready: true, reason: null }
}
