import type { Agent, Slot, Waiter } from '../../agents/index.ts'
import { assert } from '../../lib/index.ts'
import type { Call } from '../call.ts'
import type { AffordableCandidate } from '../handover.ts'
import type { House } from '../house.ts'

/** A candidate, and the slot to try it with. */
export interface Taken {
  readonly candidate: AffordableCandidate
  readonly slot: Slot
}

/**
 * The first candidate with a free slot; when all are full, the one at whose agent a slot becomes free first. Null when none came within
 * `waitMs`, when too many wait already, or when the call must stop.
 */
export function takeSlot(
  house: House,
  call: Call,
  candidates: readonly AffordableCandidate[],
  waitMs: number,
): Taken | null | Promise<Taken | null> {
  for (const candidate of candidates) {
    const slot = house.agents.of(candidate.offer.backend).take()
    if (slot !== null) return { candidate, slot }
  }
  if (house.traffic.waiters >= call.settings.limits.waitersMax || waitMs <= 0) return null
  return waitForSlot(house, call, candidates, waitMs)
}

/** One place in line for the whole request, at the agent of each candidate. */
async function waitForSlot(
  house: House,
  call: Call,
  candidates: readonly AffordableCandidate[],
  waitMs: number,
): Promise<Taken | null> {
  const agents = new Map<Agent, AffordableCandidate>()
  for (const candidate of candidates) {
    const agent = house.agents.of(candidate.offer.backend)
    if (!agents.has(agent)) agents.set(agent, candidate)
  }
  const slot = await firstFreed(house, call, [...agents.keys()], waitMs)
  if (slot === null) return null
  const candidate = agents.get(slot.agent)
  assert(candidate !== undefined, 'a waiter joins the agents of its candidates only')
  return { candidate, slot }
}

function firstFreed(house: House, call: Call, agents: readonly Agent[], waitMs: number): Promise<Slot | null> {
  return new Promise((resolve) => {
    let over = false
    const finish = (slot: Slot | null): void => {
      over = true
      house.traffic.waiters--
      for (const agent of agents) agent.leave(waiter)
      cancelTimer()
      unlisten()
      resolve(slot)
    }
    const waiter: Waiter = {
      offer(slot) {
        if (over) return false
        finish(slot)
        return true
      },
    }
    house.traffic.waiters++
    const cancelTimer = house.clock.after(waitMs, () => {
      if (!over) finish(null)
    })
    let unlisten = () => {}
    unlisten = call.leave.onFire(() => {
      if (!over) finish(null)
    })
    for (const agent of agents) {
      if (!over) agent.join(waiter)
    }
  })
}
