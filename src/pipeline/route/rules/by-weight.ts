import { chosenSort, UNKNOWN_LAST } from '../chosen-sort.ts'
import type { Ranking } from '../rule.ts'

/** Spreads requests over offers by their weights: the first of all is each as often as its share of the weight (Efraimidis and Spirakis 2006). */
export const byWeight: Ranking = {
  kind: 'ranking',
  name: 'by-weight',
  applies: (wish, world) => chosenSort(wish, world) === 'weight',
  key({ offer }, _, __, { seed = '' }) {
    const { weight = 1 } = offer
    return Math.min(UNKNOWN_LAST, -Math.log(fractionOf(`${seed} ${offer.id}`)) / weight)
  },
}

const TWO_32 = 2 ** 32

/** A number in (0, 1] that a text stands for: FNV-1a, and the last mix of MurmurHash3, which spreads what differs in its end alone. */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (((hash ^ (hash >>> 16)) >>> 0) + 1) / TWO_32
}
