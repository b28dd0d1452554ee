import type { Agent, Slot } from '../../agents/index.ts'
import type { Call } from '../call.ts'
import type { House } from '../house.ts'

/**
 * The first free slot in the order of `agents`; when all are full, the first that becomes free at any of them.
 * Null when none came within `queue_ms`, when too many wait already, or when the call must stop.
 */
export function takeSlot(house: House, call: Call, agents: readonly Agent[]): Slot | null | Promise<Slot | null> {
  for (const agent of agents) {
    const slot = agent.take()
    if (slot !== null) return slot
  }
  const { limits, routing } = call.settings
  if (house.traffic.waiters >= limits.waitersMax || routing.queueMs === 0) return null
  return waitForSlot(house, call, new Set(agents), routing.queueMs)
}

function waitForSlot(house: House, call: Call, agents: ReadonlySet<Agent>, queueMs: number): Promise<Slot | null> {
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
    const waiter = {
      offer(slot: Slot): boolean {
        if (over) return false
        finish(slot)
        return true
      },
    }
    house.traffic.waiters++
    const cancelTimer = house.clock.after(queueMs, () => {
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
