import { chosenSort, UNKNOWN_LAST } from '../chosen-sort.ts'
import type { Ranking } from '../rule.ts'

/** The one whose attempts succeed most often first. */
export const byUptime: Ranking = {
  kind: 'ranking',
  name: 'by-uptime',
  applies: (wish, world) => chosenSort(wish, world) === 'uptime',
  key({ offer }, _, { observed }) {
    const rate = observed.of(offer.id)?.successRate ?? null
    return rate === null ? UNKNOWN_LAST : -rate
  },
}
