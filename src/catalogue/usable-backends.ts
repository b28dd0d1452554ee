import type { Backend, Catalogue } from '../domain/index.ts'

/** The backends that some request could be sent to: not disabled, and with an offer that is not. In the order of the catalogue. */
export function usableBackends(catalogue: Catalogue): Backend[] {
  const offering = new Set<string>()
  for (const model of catalogue.models.values()) {
    for (const offer of model.offers) if (offer.enabled) offering.add(offer.backend.id)
  }
  return [...catalogue.backends.values()].filter((backend) => backend.enabled && offering.has(backend.id))
}
