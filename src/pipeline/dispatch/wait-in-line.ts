import type { Agent, Slot, Waiter } from '../../agents/index.ts'
import type { Call } from '../call.ts'
import type { House } from '../house.ts'

/** Where a request waits for a slot, and what it takes. */
export interface Line<Found> {
  readonly agents: Iterable<Agent>
  readonly waitMs: number
  /** What an offered slot comes to; null declines it. */
  take(slot: Slot): Found | null
  /** Once a slot was declined: whether no other can be taken either. */
  isInVain?(): boolean
  /** Calls back when who declined a slot of this agent may want one again; the answer stops listening. */
  onReturn?(agent: Agent, comeBack: () => void): () => void
}

/**
 * One place in line for the whole request, at each of these agents: the first slot that is taken ends the wait everywhere. Null when none came
 * in time, when all are in vain, or when the call must stop; at once when too many wait already.
 */
export function waitInLine<Found>(house: House, call: Call, line: Line<Found>): Promise<Found | null> | null {
  const { waitMs } = line
  const { traffic } = house
  if (traffic.waiters >= call.settings.limits.waitersMax || waitMs <= 0) return null
  return new Promise((resolve) => {
    let over = false
    const ends: (() => void)[] = []
    const finish = (found: Found | null): void => {
      over = true
      traffic.waiters--
      for (const agent of line.agents) agent.leave(waiter)
      for (const end of ends) end()
      resolve(found)
    }
    const giveUp = (): void => {
      if (!over) finish(null)
    }
    const waiter: Waiter = {
      offer(slot) {
        if (over) return false
        const found = line.take(slot)
        if (found !== null || line.isInVain?.()) finish(found)
        return found !== null
      },
    }
    traffic.waiters++
    ends.push(house.clock.after(waitMs, giveUp))
    const unlisten = call.leave.onFire(giveUp)
    if (over) unlisten()
    else ends.push(unlisten)
    for (const agent of line.agents) {
      if (over) return
      const unreturn = line.onReturn?.(agent, () => {
        if (!over) agent.join(waiter)
      })
      if (unreturn !== undefined) ends.push(unreturn)
      agent.join(waiter)
    }
  })
}
