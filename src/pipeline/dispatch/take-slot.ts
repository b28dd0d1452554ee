import type { Agent, Slot, Waiter } from '../../agents/index.ts'
import type { Claim } from '../../health/index.ts'
import { assert } from '../../lib/index.ts'
import type { Call } from '../call.ts'
import type { AffordableCandidate } from '../handover.ts'
import type { House } from '../house.ts'

/** A candidate, the slot to try it with, and the right to do so. */
export interface Taken {
  readonly candidate: AffordableCandidate
  readonly slot: Slot
  readonly claim: Claim
}

/**
 * The first candidate with a free slot that may be sent something; when all are full or have their one trial, the one that becomes free
 * first. Null when none came within `waitMs`, when too many wait already, when all are out, or when the call must stop.
 */
export function takeSlot(
  house: House,
  call: Call,
  candidates: readonly AffordableCandidate[],
  waitMs: number,
): Taken | null | Promise<Taken | null> {
  for (const candidate of candidates) {
    const slot = house.agents.of(candidate.offer.backend).take()
    if (slot === null) continue
    const taken = takenWith(house, candidate, slot)
    if (taken !== null) return taken
    slot.agent.release(slot)
  }
  if (house.traffic.waiters >= call.settings.limits.waitersMax || waitMs <= 0) return null
  const awaited = candidates.filter((candidate) => chanceOf(house, candidate) !== 'out')
  return awaited.length === 0 ? null : waitForSlot(house, call, awaited, waitMs)
}

/** What a candidate's health allows now. */
export const chanceOf = ({ health }: House, { offer, own, trial }: AffordableCandidate) =>
  health.chanceOf(offer.backend, trial === 'least_bad', own !== undefined)

/** Null when the backend may not be sent anything: then the slot stays the caller's. */
function takenWith({ health }: House, candidate: AffordableCandidate, slot: Slot): Taken | null {
  const claim = health.claim(candidate.offer.backend, candidate.trial === 'least_bad', candidate.own !== undefined)
  return typeof claim === 'string' ? null : { candidate, slot, claim }
}

/** One place in line for the whole request, at the agent of each candidate. */
function waitForSlot(
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
  return firstFreed(house, call, agents, waitMs)
}

function firstFreed(
  house: House,
  call: Call,
  agents: ReadonlyMap<Agent, AffordableCandidate>,
  waitMs: number,
): Promise<Taken | null> {
  return new Promise((resolve) => {
    let over = false
    const ends: (() => void)[] = []
    const finish = (taken: Taken | null): void => {
      over = true
      house.traffic.waiters--
      for (const agent of agents.keys()) agent.leave(waiter)
      for (const end of ends) end()
      resolve(taken)
    }
    const giveUp = (): void => {
      if (!over) finish(null)
    }
    const waiter: Waiter = {
      offer(slot) {
        if (over) return false
        const candidate = agents.get(slot.agent)
        assert(candidate !== undefined, 'a waiter joins the agents of its candidates only')
        const taken = takenWith(house, candidate, slot)
        if (taken !== null) finish(taken)
        else if ([...agents.values()].every((other) => chanceOf(house, other) === 'out')) finish(null)
        return taken !== null
      },
    }
    house.traffic.waiters++
    ends.push(house.clock.after(waitMs, giveUp))
    const unlisten = call.leave.onFire(giveUp)
    if (over) unlisten()
    else ends.push(unlisten)
    for (const [agent, { offer }] of agents) {
      if (over) return
      // Who declines a slot, because another has the one trial, leaves the line: it comes back when that is over.
      ends.push(house.health.onTrialEnd(offer.backend.id, () => over || agent.join(waiter)))
      agent.join(waiter)
    }
  })
}
