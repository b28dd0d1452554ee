import { chosenSort, UNKNOWN_LAST } from '../chosen-sort.ts'
import type { Ranking } from '../rule.ts'

/** The quickest to its first content first, by the median of what was observed. */
export const byLatency: Ranking = {
  kind: 'ranking',
  name: 'by-latency',
  applies: (wish, world) => chosenSort(wish, world) === 'latency',
  key: ({ offer }, _, { observed }) => observed.of(offer.id)?.firstContentP50Ms ?? UNKNOWN_LAST,
}
