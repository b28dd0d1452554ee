import { isHome, isInRegions } from '../../../domain/index.ts'
import type { Ranking } from '../rule.ts'

/** Home comes first: what runs there and is owned there, then what only runs there, then all else. Without home regions all is home. */
export const homeTier: Ranking = {
  kind: 'ranking',
  name: 'home-tier',
  applies: (_, { homeRegions }) => homeRegions.length > 0,
  key({ offer: { backend } }, { homeRegions }) {
    if (!isHome(backend.region, homeRegions)) return 2
    const { ownership } = backend.provider
    return ownership !== null && homeRegions.some((home) => isInRegions(home, [ownership])) ? 0 : 1
  },
}
