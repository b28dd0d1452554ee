import { narrowed, type Policy, UNBOUND_POLICY } from '../../domain/index.ts'
import type { Wish, World } from './rule.ts'

/** The world of a request that asks for more care with its data than account and key do. The strictest wins. */
export function boundByWish(world: World, wish: Wish): World {
  const part = policyOf(wish)
  return part === null ? world : { ...world, policy: narrowed(world.policy, part) }
}

/** What a request itself asks; null: nothing. */
function policyOf({ request }: Wish): Policy | null {
  const asked = request?.preferences
  if (asked === undefined || !(asked.denyDataCollection || asked.zeroRetention)) return null
  return { ...UNBOUND_POLICY, zeroRetention: asked.zeroRetention, allowTraining: !asked.denyDataCollection }
}
