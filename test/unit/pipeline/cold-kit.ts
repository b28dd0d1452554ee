import { type KeyTerms, money } from '../../../src/domain/index.ts'
import { createHouseDouble, type HouseDouble, type HouseSpec } from '../../support/house.ts'
import { completion } from '../../support/sse.ts'

const PLAIN = completion('Hello', 10, 5)

/** A key that has all that has to be read for a key. */
export const TERMS: Partial<KeyTerms> = {
  budgets: { total: money(1_000_000_000), day: null, week: null, month: null },
  limits: { requestsPerMinute: 1000, tokensPerMinute: 10_000_000, concurrency: 100 },
}

/** So many backends, of which every one serves the model but the last `off`. */
export const fleet = (count: number, off = 0) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `b${String(at).padStart(2, '0')}`,
      { slots: 64, enabled: at < count - off },
    ]),
  )

/** A house that has read nothing yet, and whose reads wait to be released. */
export function coldHouse(spec: HouseSpec = {}): HouseDouble {
  const world = createHouseDouble({ backends: fleet(30, 14), terms: TERMS, ...spec })
  for (const { backend } of world.offers()) world.agent(backend.id).plays(PLAIN)
  world.store.readGate.holdBack()
  return world
}

/** Requests that were sent, to all backends. */
export const sentBy = (world: HouseDouble): number =>
  world.offers().reduce((sum, { backend }) => sum + world.agent(backend.id).exchanges.length, 0)
