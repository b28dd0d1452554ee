import type { Model, Offer } from '../../domain/index.ts'
import type { World } from './rule.ts'
import { dataHandling } from './rules/data-handling.ts'
import { permitted } from './rules/permitted.ts'
import { sovereignty } from './rules/sovereignty.ts'

/** What account and key bind a request to, as far as lasting rules go. */
export type Bounds = Pick<World, 'context' | 'homeRegions' | 'policy'>

/** Whether account and key may use at least one offer of a model, whatever is out at the moment. A model without offers goes by its name alone. */
export function mayUseModel(bounds: Bounds, { id, offers }: Model): boolean {
  if (offers.length === 0) return mayNameModel(bounds, id)
  return offers.some((offer) => mayUseOffer(bounds, offer))
}

/** Whether account and key may use an offer, likewise. */
export const mayUseOffer = (bounds: Bounds, offer: Offer): boolean =>
  RULES.every((rule) => rule.skip({ offer }, bounds) === null)

/** Whether the lists of models of account and key have it. */
export const mayNameModel = ({ context: { key, account } }: Pick<Bounds, 'context'>, id: string): boolean =>
  key.models?.includes(id) !== false && account.models?.includes(id) !== false

const RULES = [permitted, sovereignty, dataHandling]
