import type { Filter } from '../rule.ts'

/** Drops what an operator switched off in the catalogue: configuration, not health. */
export const enabled: Filter = {
  kind: 'filter',
  name: 'enabled',
  isOfOffer: true,
  skip({ offer }) {
    if (!offer.backend.enabled) return { reason: 'the backend is disabled' }
    return offer.enabled ? null : { reason: 'the offer is disabled' }
  },
}
