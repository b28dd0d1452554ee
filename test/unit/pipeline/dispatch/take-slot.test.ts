import { describe, expect, test } from 'bun:test'
import type { Slot } from '../../../../src/agents/index.ts'
import { takeSlot } from '../../../../src/pipeline/dispatch/take-slot.ts'
import { settleMicrotasks } from '../../../support/fake-clock.ts'
import { createHouseDouble, type HouseDouble, type HouseSpec } from '../../../support/house.ts'
import { callAt } from '../support.ts'

function fullHouse(spec: HouseSpec = {}) {
  const world = createHouseDouble({ backends: { north: { slots: 1 }, south: { slots: 1 } }, ...spec })
  const agents = [world.agent('north'), world.agent('south')]
  const taken = agents.map((agent) => {
    const slot = agent.take()
    if (slot === null) throw new Error('no slot to take')
    return slot
  })
  const free = (at: number): void => {
    const [slot] = taken.splice(at, 1)
    if (slot !== undefined) slot.agent.release(slot)
  }
  const freeAll = (): void => {
    while (taken.length > 0) free(0)
  }
  return { world, agents, free, freeAll }
}

function waiting(world: HouseDouble, agents: Parameters<typeof takeSlot>[2]) {
  const { call, ...caller } = callAt(world)
  const taken = takeSlot(world.house, call, agents)
  if (!(taken instanceof Promise)) throw new Error('it does not wait')
  return { taken, ...caller }
}

const giveBack = (slot: Slot | null): void => slot?.agent.release(slot)

describe('takeSlot', () => {
  test('takes the first free one in the order of the agents, at once', async () => {
    await using world = createHouseDouble({ backends: { north: { slots: 1 }, south: {} } })
    const agents = [world.agent('north'), world.agent('south')]
    const { call } = callAt(world)
    const slots = [takeSlot(world.house, call, agents), takeSlot(world.house, call, agents)]
    expect(slots.map((slot) => (slot instanceof Promise ? null : slot?.agent.backend))).toEqual(['north', 'south'])
    for (const slot of slots) if (!(slot instanceof Promise)) giveBack(slot)
  })

  test('when all are full, the first that becomes free anywhere; the other lines are left', async () => {
    const { world, agents, free } = fullHouse()
    await using _ = world
    const { taken, listeners } = waiting(world, agents)
    expect([world.traffic.waiters, listeners()]).toEqual([1, 1])
    free(1)
    const slot = await taken
    expect(slot?.agent.backend).toBe('south')
    expect(agents.map((agent) => agent.stats().waiters)).toEqual([0, 0])
    expect([world.traffic.waiters, world.clock.timers, listeners()]).toEqual([0, 0, 0])
    giveBack(slot)
    free(0)
  })

  test('waiters are served in their order, and nobody overtakes them', async () => {
    const { world, agents, free, freeAll } = fullHouse()
    await using _ = world
    const order: string[] = []
    const inLine = async (name: string): Promise<Slot | null> => {
      const slot = await waiting(world, agents).taken
      order.push(name)
      return slot
    }
    const first = inLine('first')
    const second = inLine('second')
    const late = world.agent('north').take()
    expect(late).toBeNull()
    free(0)
    giveBack(await first)
    giveBack(await second)
    expect(order).toEqual(['first', 'second'])
    freeAll()
  })

  test('nothing after `queue_ms`', async () => {
    const { world, agents, freeAll } = fullHouse({ routing: { queueMs: 5000 } })
    await using _ = world
    const { taken } = waiting(world, agents)
    world.clock.advance(4999)
    expect(world.traffic.waiters).toBe(1)
    world.clock.advance(1)
    expect(await taken).toBeNull()
    expect(agents.map((agent) => agent.stats().waiters)).toEqual([0, 0])
    freeAll()
  })

  test('nothing at once when too many wait, or waiting is switched off', async () => {
    const { world, agents, freeAll } = fullHouse({ limits: { waitersMax: 1 } })
    await using _ = world
    const first = waiting(world, agents)
    const { call } = callAt(world)
    expect(takeSlot(world.house, call, agents)).toBeNull()
    first.leave()
    await first.taken
    world.change({ routing: { queueMs: 0 } })
    expect(takeSlot(world.house, callAt(world).call, agents)).toBeNull()
    freeAll()
  })

  test('nothing when the caller leaves, also before it waits', async () => {
    const { world, agents, freeAll } = fullHouse()
    await using _ = world
    const { taken, leave } = waiting(world, agents)
    leave()
    expect(await taken).toBeNull()
    const gone = callAt(world)
    gone.leave()
    expect(await takeSlot(world.house, gone.call, agents)).toBeNull()
    expect(agents.map((agent) => agent.stats().waiters)).toEqual([0, 0])
    freeAll()
  })

  test('a slot that frees up in the tick in which a caller leaves goes to the next in line', async () => {
    const { world, agents, free, freeAll } = fullHouse()
    await using _ = world
    const first = waiting(world, agents)
    const second = waiting(world, agents)
    first.leave()
    free(0)
    await settleMicrotasks()
    expect(await first.taken).toBeNull()
    giveBack(await second.taken)
    freeAll()
  })
})
