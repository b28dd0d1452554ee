import type { Backend } from '../../domain/index.ts'
import type { ReportDeps } from './deps.ts'

/** Who served, as callers may know: null where backends are hidden from them, and for one that the configuration no longer has. */
export const providerShown = (deps: ReportDeps, backend: string | null): string | null =>
  backendShown(deps, backend)?.provider.id ?? null

/** Where it runs, likewise. */
export const regionShown = (deps: ReportDeps, backend: string | null): string | null =>
  backendShown(deps, backend)?.region ?? null

function backendShown({ house }: ReportDeps, backend: string | null): Backend | null {
  if (backend === null || house.settings().replies.hideBackends) return null
  return house.catalogue().backends.get(backend) ?? null
}
