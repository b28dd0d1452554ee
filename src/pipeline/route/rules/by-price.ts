import { chosenSort, UNKNOWN_LAST } from '../chosen-sort.ts'
import { likelyCost } from '../likely-cost.ts'
import type { Ranking } from '../rule.ts'

/** The cheapest for this request first: its prompt, and an answer as long as it may be. What the provider of its session keeps of it is cheaper there. */
export const byPrice: Ranking = {
  kind: 'ranking',
  name: 'by-price',
  applies: (wish, world) => chosenSort(wish, world) === 'price',
  key({ offer }, { nowMs, sticky }, { request }) {
    const place = sticky.get(offer.model)
    const cachedTokens = place?.backend === offer.backend.id ? place.cachedTokens : 0
    return likelyCost(offer, request, nowMs, cachedTokens) ?? UNKNOWN_LAST
  },
}
