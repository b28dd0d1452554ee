import { isHome, isInRegions } from '../../../domain/index.ts'
import type { Filter, Place, Wish, World } from '../rule.ts'

/**
 * Drops backends that run where a request may not go, and those of owners it may not go to. What counts as abroad is where a backend runs;
 * who owns it counts only for those who say so.
 */
export const sovereignty = {
  kind: 'filter',
  name: 'sovereignty',
  applies: (_: Wish, { homeRegions, policy }: Pick<World, 'homeRegions' | 'policy'>) =>
    (homeRegions.length > 0 && !policy.allowForeign) || policy.regions !== null || policy.ownerships !== null,
  skip({ offer: { backend } }: Place, { homeRegions, policy }: Pick<World, 'homeRegions' | 'policy'>) {
    const { region, provider } = backend
    if (!policy.allowForeign && !isHome(region, homeRegions)) {
      const evidence = `it runs in ${region ?? UNKNOWN}, home is ${homeRegions.join(', ')}: account and key must both allow foreign backends`
      return { reason: 'the backend is outside the home regions', evidence }
    }
    if (policy.regions !== null && !isInRegions(region, policy.regions)) {
      const evidence = `it runs in ${region ?? UNKNOWN}, account and key allow ${listed(policy.regions)}`
      return { reason: 'the backend runs in a region that may not be used', evidence }
    }
    const { ownership } = provider
    if (policy.ownerships !== null && (ownership === null || !policy.ownerships.includes(ownership))) {
      const evidence = `its owner is of ${ownership ?? 'an unknown country'}, account and key allow ${listed(policy.ownerships)}`
      return { reason: 'the owner of the provider is of a country that may not be used', evidence }
    }
    return null
  },
} as const satisfies Filter

const UNKNOWN = 'an unknown region'
const listed = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '))
