import type { Offer } from '../../domain/index.ts'
import type { ObservedOffer } from '../../health/index.ts'
import { UNKNOWN_LAST } from './chosen-sort.ts'
import { fractionOf } from './fraction-of.ts'
import type { Wish, World } from './rule.ts'

/**
 * The key of an offer in a sort by what was observed; `read` answers null where that is not known. An offer that nobody was sent to lately
 * comes last, but for one request in fifty, where it comes first: nothing could ever be known of it otherwise.
 */
export function observedKey(
  { id }: Offer,
  { observed }: Pick<World, 'observed'>,
  { seed }: Wish,
  read: (seen: ObservedOffer) => number | null,
): number {
  const seen = observed.of(id)
  const key = seen === null ? null : read(seen)
  if (key !== null) return key
  const isUntried = seen === null || seen.samples === 0
  const isCompared = observed.version > 0 && seed !== undefined // before anything is known any order will do
  return isUntried && isCompared && fractionOf(`untried ${seed} ${id}`) < UNTRIED_SHARE ? -UNKNOWN_LAST : UNKNOWN_LAST
}

const UNTRIED_SHARE = 0.02
