import type { Model, Offer } from '../../domain/index.ts'
import type { Wish, World } from './rule.ts'
import { dataHandling } from './rules/data-handling.ts'
import { hasName, permitted } from './rules/permitted.ts'
import { sovereignty } from './rules/sovereignty.ts'

/** What account and key bind a request to, whatever it asks. */
export type Bounds = Pick<World, 'context' | 'homeRegions' | 'policy'>

/**
 * Whether account and key may use at least one offer of a model, whatever is out at the moment; `router`: when they ask for this router model. A
 * model without offers goes by its name alone.
 */
export function mayUseModel(bounds: Bounds, { id, offers }: Model, router?: string): boolean {
  if (offers.length === 0) return mayNameModel(bounds, id, router)
  return offers.some((offer) => mayUseOffer(bounds, offer, router))
}

/** Whether account and key may use an offer, likewise. */
export const mayUseOffer = (bounds: Bounds, offer: Offer, router?: string): boolean => {
  const asked = router === undefined ? NO_ROUTER : { router }
  return RULES.every((rule) => rule.skip({ offer }, bounds, asked) === null)
}

const NO_ROUTER: Pick<Wish, 'router'> = {}

/** Whether the lists of models of account and key have it. */
export const mayNameModel = (
  { context: { key, account } }: Pick<Bounds, 'context'>,
  id: string,
  router?: string,
): boolean => hasName(key.models, id, router) && hasName(account.models, id, router)

const RULES = [permitted, sovereignty, dataHandling]
