import type { SortBy } from '../../domain/index.ts'
import type { Wish, World } from './rule.ts'

/**
 * What offers of this branch are sorted by: what the request says, else what its router model is ordered by, else what the operator says for all;
 * null: as they stand.
 */
export const chosenSort = (wish: Wish, { sort }: Pick<World, 'sort'>): SortBy | null =>
  askedSort(wish) ?? wish.sort ?? sort

/** What the request itself says: by the variant of its model, else by its `sort`; null: nothing. */
export function askedSort({ variant, request }: Pick<Wish, 'request' | 'variant'>): SortBy | null {
  if (variant === 'nitro') return 'throughput'
  if (variant === 'floor') return 'price'
  return request?.preferences?.sort?.by ?? null
}

/** The key of an offer of which nothing is known: behind all others. */
export const UNKNOWN_LAST = Number.MAX_VALUE
