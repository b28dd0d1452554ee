import type { ReportDeps } from './deps.ts'

/** OpenRouter's word for data that may go anywhere. */
const ANYWHERE = 'global'

/** Who served, as callers may know; of a backend that the configuration no longer has, its id. Never null: OpenRouter's SDK takes no such row. */
export const providerShown = ({ house }: ReportDeps, backend: string): string =>
  house.settings().replies.hideBackends ? HIDDEN : (house.catalogue().backends.get(backend)?.provider.id ?? backend)

/** Who stands for whoever served, where backends are hidden. */
export const HIDDEN = 'anyrouter'

/** By which backend, likewise. */
export const backendShown = ({ house }: ReportDeps, backend: string): string =>
  house.settings().replies.hideBackends ? HIDDEN : backend

/** Where it runs, as far as that is told. */
export function regionShown({ house }: ReportDeps, backend: string | null): string {
  if (backend === null || house.settings().replies.hideBackends) return ANYWHERE
  return house.catalogue().backends.get(backend)?.region ?? ANYWHERE
}
