import type { Filter } from '../rule.ts'

/** Drops offers without a price, but for unmetered accounts: nobody else could be billed. */
export const priced: Filter = {
  kind: 'filter',
  name: 'priced',
  skip({ offer }, { context }) {
    if (offer.price !== null || context.account.kind === 'unmetered') return null
    return { reason: 'the offer has no price, so it serves unmetered accounts only' }
  },
}
