import type { ReportDeps } from './deps.ts'

/** Who served, as callers may know: null where backends are hidden from them, and for one that the configuration no longer has. */
export function providerShown({ house }: ReportDeps, backend: string | null): string | null {
  if (backend === null || house.settings().replies.hideBackends) return null
  return house.catalogue().backends.get(backend)?.provider.id ?? null
}

/** Where it runs, likewise. */
export function regionShown({ house }: ReportDeps, backend: string | null): string | null {
  if (backend === null || house.settings().replies.hideBackends) return null
  return house.catalogue().backends.get(backend)?.region ?? null
}
