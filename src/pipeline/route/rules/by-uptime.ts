import { chosenSort } from '../chosen-sort.ts'
import { observedKey } from '../observed-key.ts'
import type { Ranking } from '../rule.ts'

/** The one whose attempts succeed most often first. */
export const byUptime: Ranking = {
  kind: 'ranking',
  name: 'by-uptime',
  applies: (wish, world) => chosenSort(wish, world) === 'uptime',
  key: ({ offer }, world, wish) =>
    observedKey(offer, world, wish, ({ successRate }) => (successRate === null ? null : -successRate)),
}
