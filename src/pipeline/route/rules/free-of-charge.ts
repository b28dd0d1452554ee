import { isFree } from '../../../domain/index.ts'
import type { Filter } from '../rule.ts'

/** For `:free` and the free router: drops every offer that has a price, or none that is known. */
export const freeOfCharge: Filter = {
  kind: 'filter',
  name: 'free',
  wish: 'max_price',
  applies: ({ variant, freeOnly }) => freeOnly === true || variant === 'free',
  skip: ({ offer: { price } }) => (price !== null && isFree(price) ? null : { reason: 'the offer is not free' }),
}
