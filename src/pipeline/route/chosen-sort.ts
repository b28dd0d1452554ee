import type { SortBy } from '../../domain/index.ts'
import type { Wish } from './rule.ts'

/** What offers of this branch are sorted by: the variant of its model, else the request's `sort`; null: the operator's order. */
export function chosenSort({ variant, request }: Wish): SortBy | null {
  if (variant === 'nitro') return 'throughput'
  if (variant === 'floor') return 'price'
  return request?.preferences?.sort?.by ?? null
}

/** The key of an offer of which nothing is known: behind all others. */
export const UNKNOWN_LAST = Number.MAX_SAFE_INTEGER
