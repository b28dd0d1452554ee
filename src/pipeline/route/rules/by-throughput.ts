import { chosenSort } from '../chosen-sort.ts'
import { observedKey } from '../observed-key.ts'
import type { Ranking } from '../rule.ts'

/** The one with the most tokens a second first, by the median of what was observed. */
export const byThroughput: Ranking = {
  kind: 'ranking',
  name: 'by-throughput',
  applies: (wish, world) => chosenSort(wish, world) === 'throughput',
  key: ({ offer }, world, wish) =>
    observedKey(offer, world, wish, ({ tokensPerSecond }) => (tokensPerSecond === null ? null : -tokensPerSecond)),
}
