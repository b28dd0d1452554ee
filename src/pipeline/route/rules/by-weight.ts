import { chosenSort, UNKNOWN_LAST } from '../chosen-sort.ts'
import { fractionOf } from '../fraction-of.ts'
import type { Ranking } from '../rule.ts'

/** Spreads requests over offers by their weights: the first of all is each as often as its share of the weight (Efraimidis and Spirakis 2006). */
export const byWeight: Ranking = {
  kind: 'ranking',
  name: 'by-weight',
  applies: (wish, world) => chosenSort(wish, world) === 'weight',
  key({ offer }, _, { seed = '' }) {
    const { weight = 1 } = offer
    return Math.min(UNKNOWN_LAST, -Math.log(fractionOf(`${seed} ${offer.id}`)) / weight)
  },
}
