import { type Backend, GatewayError } from '../../domain/index.ts'
import type { Bounds } from './may-use-model.ts'
import { dataHandling } from './rules/data-handling.ts'
import { leftOut } from './rules/permitted.ts'
import { sovereignty } from './rules/sovereignty.ts'

/**
 * Refuses a backend that account and key may not use, as plans pass it over: for a request that can go nowhere else, because what it asks for is kept
 * there. `isFed`: it sends something new, or has what is there worked on, so that how data is handled there matters too. Throws 403 or 404.
 */
export function refuseBackend({ policy, homeRegions }: Bounds, backend: Backend, isFed: boolean): void {
  const place = { offer: { backend } }
  const world = { policy, homeRegions }
  const abroad = sovereignty.skip(place, world)
  if (abroad !== null) throw new GatewayError('region_restricted', `What it names cannot be reached: ${abroad.reason}.`)
  const left = leftOut(place, policy)
  if (left !== null) throw new GatewayError('model_not_permitted', `What it names cannot be reached: ${left.reason}.`)
  const kept = isFed ? dataHandling.skip(place, world) : null
  if (kept !== null) throw new GatewayError('privacy_restricted', `What it names cannot be worked on: ${kept.reason}.`)
}
