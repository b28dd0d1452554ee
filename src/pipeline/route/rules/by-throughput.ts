import { chosenSort, UNKNOWN_LAST } from '../chosen-sort.ts'
import type { Ranking } from '../rule.ts'

/** The one with the most tokens a second first, by the median of what was observed. */
export const byThroughput: Ranking = {
  kind: 'ranking',
  name: 'by-throughput',
  applies: (wish, world) => chosenSort(wish, world) === 'throughput',
  key({ offer }, _, { observed }) {
    const speed = observed.of(offer.id)?.tokensPerSecond ?? null
    return speed === null ? UNKNOWN_LAST : -speed
  },
}
