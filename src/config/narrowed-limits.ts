import type { TimeLimits } from '../domain/index.ts'

/** Limits of time as they stand in the file, at a model or an offer. */
export interface OwnTimeLimits {
  readonly connect_ms?: number | undefined
  readonly first_content_ms?: number | undefined
  readonly total_ms?: number | undefined
  readonly idle_ms?: number | undefined
}

/** The limits of an offer: its own, else its model's, else its backend's. */
export function narrowedLimits(backend: TimeLimits, model: OwnTimeLimits, offer: OwnTimeLimits): TimeLimits {
  return {
    connectMs: offer.connect_ms ?? model.connect_ms ?? backend.connectMs,
    firstContentMs: offer.first_content_ms ?? model.first_content_ms ?? backend.firstContentMs,
    totalMs: offer.total_ms ?? model.total_ms ?? backend.totalMs,
    idleMs: offer.idle_ms ?? model.idle_ms ?? backend.idleMs,
  }
}
