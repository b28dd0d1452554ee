import type { Filter } from '../rule.ts'

/** Drops models that the key may not use. */
export const permitted: Filter = {
  kind: 'filter',
  name: 'permitted',
  skip({ offer }, { context }) {
    const { models } = context.key
    return models === null || models.includes(offer.model) ? null : { reason: 'the key may not use this model' }
  },
}
