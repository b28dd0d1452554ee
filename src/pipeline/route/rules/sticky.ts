import type { Ranking } from '../rule.ts'

/** A session's backend comes first, for as long as it may serve it. */
export const sticky: Ranking = {
  kind: 'ranking',
  name: 'sticky',
  applies: (_, { sticky: places }) => places.size > 0,
  key: ({ offer }, { sticky: places }) => (places.get(offer.model)?.backend === offer.backend.id ? 0 : 1),
}
