import type { SkipReason } from '../../skip-of.ts'
import type { Filter, Place, Wish, World } from '../rule.ts'

/**
 * Drops models that the key or its account may not use, by their own names or by that of the router model that was asked for, and backends that the operator left
 * out for them.
 */
export const permitted = {
  kind: 'filter',
  name: 'permitted',
  applies: (_: Wish, { context: { key, account }, policy }: Pick<World, 'context' | 'policy'>) =>
    key.models !== null || account.models !== null || policy.only.length > 0 || policy.ignore !== null,
  skip({ offer }, { context, policy }: Pick<World, 'context' | 'policy'>, { router }: Pick<Wish, 'router'>) {
    const { key, account } = context
    if (!hasName(key.models, offer.model, router)) return { reason: 'the key may not use this model' }
    if (!hasName(account.models, offer.model, router)) return { reason: 'the account may not use this model' }
    return leftOut({ offer }, policy)
  },
} as const satisfies Filter

/** Why a backend was left out for an account or a key, whatever model is asked for; null: it was not. */
export function leftOut(
  { offer }: Place,
  { only, ignore }: Pick<World['policy'], 'ignore' | 'only'>,
): SkipReason | null {
  const missed = only.find((names) => !isAmong(offer, names))
  if (missed !== undefined) return { reason: NOT_THIS_BACKEND, evidence: `only ${missed.join(', ')}` }
  if (ignore !== null && isAmong(offer, ignore)) return { reason: NOT_THIS_BACKEND, evidence: 'it is to be ignored' }
  return null
}

/** Whether a list of models lets this one be used, which may be one of a router model that was asked for. Null: all. */
export const hasName = (names: readonly string[] | null, model: string, router: string | undefined): boolean =>
  names === null || names.includes(model) || (router !== undefined && names.includes(router))

export const NOT_THIS_BACKEND = 'the account or the key may not use this backend'

/** Whether its backend or its provider is named. */
const isAmong = ({ backend }: Place['offer'], names: readonly string[]): boolean =>
  names.includes(backend.id) || names.includes(backend.provider.id)
