import type { SortBy } from '../../domain/index.ts'
import type { Wish, World } from './rule.ts'

/** What offers of this branch are sorted by: by the variant of its model, else the request's `sort`, else the operator's; null: as they stand. */
export function chosenSort({ variant, request }: Wish, { sort }: Pick<World, 'sort'>): SortBy | null {
  if (variant === 'nitro') return 'throughput'
  if (variant === 'floor') return 'price'
  return request?.preferences?.sort?.by ?? sort
}

/** The key of an offer of which nothing is known: behind all others. */
export const UNKNOWN_LAST = Number.MAX_VALUE
