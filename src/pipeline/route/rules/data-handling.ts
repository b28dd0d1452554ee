import type { Filter, Place, Wish, World } from '../rule.ts'

/** Drops providers that keep or use what they are sent, where that is not allowed. Who does not say is taken to do so. */
export const dataHandling = {
  kind: 'filter',
  name: 'data-handling',
  applies: (_: Wish, { policy }: Pick<World, 'policy'>) => policy.zeroRetention || !policy.allowTraining,
  skip({ offer }: Place, { policy }: Pick<World, 'policy'>) {
    const { data } = offer.backend.provider
    const days = data?.retentionDays ?? null
    if (policy.zeroRetention && days !== 0) {
      const evidence = days === null ? 'how long it keeps data is not known' : `it keeps data for ${days} days`
      return { reason: KEEPS_DATA, evidence }
    }
    const training = data?.training ?? null
    if (!policy.allowTraining && training !== false) {
      const evidence = training === null ? 'whether it trains on data is not known' : 'it trains on data'
      return { reason: MAY_TRAIN, evidence }
    }
    return null
  },
} as const satisfies Filter

export const KEEPS_DATA = 'the provider may keep what it is sent'
export const MAY_TRAIN = 'the provider may train on what it is sent'
