import { chosenSort } from '../chosen-sort.ts'
import { observedKey } from '../observed-key.ts'
import type { Ranking } from '../rule.ts'

/** The quickest to its first content first, by the median of what was observed. */
export const byLatency: Ranking = {
  kind: 'ranking',
  name: 'by-latency',
  applies: (wish, world) => chosenSort(wish, world) === 'latency',
  key: ({ offer }, world, wish) => observedKey(offer, world, wish, (seen) => seen.firstContentP50Ms),
}
