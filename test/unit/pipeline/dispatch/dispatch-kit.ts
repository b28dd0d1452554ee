import { dispatch } from '../../../../src/pipeline/dispatch/dispatch.ts'
import type { DispatchEnd } from '../../../../src/pipeline/handover.ts'
import { createHouseDouble, type HouseDouble, type HouseSpec, MODEL } from '../../../support/house.ts'
import { completion } from '../../../support/sse.ts'
import { callAt, candidatesOf, preparedOf } from '../support.ts'

export const NAMES = ['north', 'south', 'east', 'west'] as const
/** A plain answer. */
export const PLAIN = completion('Hello', 10, 5)

/** A house with so many backends of two slots each. */
export const houseOf = (count: number, spec: HouseSpec = {}): HouseDouble =>
  createHouseDouble({ backends: Object.fromEntries(NAMES.slice(0, count).map((name) => [name, {}])), ...spec })

/** A call on its way through `dispatch`. */
export function dispatching(world: HouseDouble, fields: object = {}, keptWith?: string) {
  const caller = callAt(world)
  const { attemptsMax } = caller.call.settings.routing
  const plan = { candidates: candidatesOf(world), prepared: preparedOf(fields), model: MODEL, attemptsMax, keptWith }
  caller.call.clock.enter('wait')
  return { ...caller, ended: dispatch(world.house, caller.call, plan) }
}

/** Takes all slots of a backend; the answer gives one back. */
export function fill(world: HouseDouble, name: string): () => void {
  const agent = world.agent(name)
  const slots = [agent.take(), agent.take()]
  return () => {
    const slot = slots.pop()
    if (slot) agent.release(slot)
  }
}

/** How many requests each backend was sent. */
export const sentTo = (world: HouseDouble): number[] =>
  NAMES.map((name) => (world.house.agents.stats().has(name) ? world.agent(name).exchanges.length : 0))

/** What a caller is told, and which backend may have run. */
export const errorOf = (end: DispatchEnd) =>
  end.kind === 'unserved' ? { code: end.error.code, mayHaveRun: end.mayHaveRun?.offer.backend.id ?? null } : end.kind
