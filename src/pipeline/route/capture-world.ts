import type { AccountContext } from '../../domain/index.ts'
import type { House } from '../house.ts'
import type { World } from './rule.ts'

/** Takes all that a plan depends on, as it is at this moment. */
export const captureWorld = (
  { catalogue, health }: Pick<House, 'catalogue' | 'health'>,
  context: AccountContext,
): World => ({
  catalogue: catalogue(),
  context,
  quarantine: health.quarantine(),
  coolings: health.coolings(context.account.id),
  triesLeastBad: health.triesLeastBad(),
  nowMs: health.nowMs(),
})
