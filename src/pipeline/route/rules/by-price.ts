import { chosenSort, UNKNOWN_LAST } from '../chosen-sort.ts'
import { likelyCost } from '../likely-cost.ts'
import type { Ranking } from '../rule.ts'

/** The cheapest for this request first: its prompt, and an answer as long as it may be. */
export const byPrice: Ranking = {
  kind: 'ranking',
  name: 'by-price',
  applies: (wish, world) => chosenSort(wish, world) === 'price',
  key: ({ offer }, _, { nowMs }, { request }) => likelyCost(offer, request, nowMs) ?? UNKNOWN_LAST,
}
