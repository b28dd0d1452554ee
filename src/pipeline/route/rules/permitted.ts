import type { Offer } from '../../../domain/index.ts'
import type { Filter, Wish, World } from '../rule.ts'

/** Drops models that the key or its account may not use, and backends that the operator left out for them. */
export const permitted = {
  kind: 'filter',
  name: 'permitted',
  applies: (_: Wish, { context: { key, account }, policy }: Pick<World, 'context' | 'policy'>) =>
    key.models !== null || account.models !== null || policy.only.length > 0 || policy.ignore !== null,
  skip({ offer }, { context, policy }: Pick<World, 'context' | 'policy'>) {
    const { key, account } = context
    if (key.models?.includes(offer.model) === false) return { reason: 'the key may not use this model' }
    if (account.models?.includes(offer.model) === false) return { reason: 'the account may not use this model' }
    const missed = policy.only.find((names) => !isAmong(offer, names))
    if (missed !== undefined) return { reason: NOT_THIS_BACKEND, evidence: `only ${missed.join(', ')}` }
    const { ignore } = policy
    if (ignore !== null && isAmong(offer, ignore)) return { reason: NOT_THIS_BACKEND, evidence: 'it is to be ignored' }
    return null
  },
} as const satisfies Filter

const NOT_THIS_BACKEND = 'the account or the key may not use this backend'

/** Whether its backend or its provider is named. */
const isAmong = ({ backend }: Offer, names: readonly string[]): boolean =>
  names.includes(backend.id) || names.includes(backend.provider.id)
