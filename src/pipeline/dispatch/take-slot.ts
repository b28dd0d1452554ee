import type { Agent, Slot } from '../../agents/index.ts'
import type { Claim } from '../../health/index.ts'
import { assert } from '../../lib/index.ts'
import type { Call } from '../call.ts'
import type { AffordableCandidate } from '../handover.ts'
import type { House } from '../house.ts'
import { waitInLine } from './wait-in-line.ts'

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

/** At the agent of each candidate: of two at one backend the first has its place. */
function waitForSlot(
  house: House,
  call: Call,
  candidates: readonly AffordableCandidate[],
  waitMs: number,
): Promise<Taken | null> | null {
  const agents = new Map<Agent, AffordableCandidate>()
  for (const candidate of candidates) {
    const agent = house.agents.of(candidate.offer.backend)
    if (!agents.has(agent)) agents.set(agent, candidate)
  }
  const at = (agent: Agent): AffordableCandidate => {
    const candidate = agents.get(agent)
    assert(candidate !== undefined, 'a waiter joins the agents of its candidates only')
    return candidate
  }
  return waitInLine(house, call, {
    agents: [...agents.keys()],
    waitMs,
    take: (slot) => takenWith(house, at(slot.agent), slot),
    isInVain: () => [...agents.values()].every((candidate) => chanceOf(house, candidate) === 'out'),
    // Who declines a slot, because another has the one trial, leaves the line: it comes back when that is over.
    onReturn: (agent, comeBack) => house.health.onTrialEnd(at(agent).offer.backend.id, comeBack),
  })
}
