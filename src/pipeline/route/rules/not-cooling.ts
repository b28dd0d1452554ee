import type { Filter } from '../rule.ts'

/** Drops backends that this account leaves alone, because they fail its requests and nobody else's. */
export const notCooling: Filter = {
  kind: 'filter',
  name: 'cooling',
  applies: (_, { coolings }) => coolings.size > 0,
  skip({ offer }, { coolings, nowMs }) {
    const cooling = coolings.get(offer.backend.id)
    if (cooling === undefined || cooling.untilMs <= nowMs) return null
    const { evidence, untilMs } = cooling
    return { reason: 'the backend fails the requests of this account', evidence, untilMs }
  },
}
