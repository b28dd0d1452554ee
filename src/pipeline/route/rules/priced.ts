import type { Filter } from '../rule.ts'

/** Drops offers without a price, but for unmetered accounts and own credentials: nobody else could be billed. */
export const priced: Filter = {
  kind: 'filter',
  name: 'priced',
  skip({ offer, own }, { context }) {
    if (own !== undefined || offer.price !== null || context.account.kind === 'unmetered') return null
    return { reason: 'the offer has no price, so it serves unmetered accounts only' }
  },
}
