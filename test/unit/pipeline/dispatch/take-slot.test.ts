import { describe, expect, spyOn, test } from 'bun:test'
import { type Taken, takeSlot } from '../../../../src/pipeline/dispatch/take-slot.ts'
import { settleMicrotasks } from '../../../support/fake-clock.ts'
import { createHouseDouble, type HouseDouble, type HouseSpec } from '../../../support/house.ts'
import { callAt, candidatesOf } from '../support.ts'

const WAIT_MS = 5000
const OWN = {
  id: 'own_1',
  accountId: 'acc',
  provider: 'acme',
  baseUrl: null,
  sealed: 's',
  secret: 'sk-own',
  fault: null,
}

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

function waiting(world: HouseDouble, waitMs = WAIT_MS) {
  const { call, ...caller } = callAt(world)
  const taken = takeSlot(world.house, call, candidatesOf(world), waitMs)
  if (!(taken instanceof Promise)) throw new Error('it does not wait')
  return { taken, ...caller }
}

const giveBack = (taken: Taken | null): void => taken?.slot.agent.release(taken.slot)

describe('takeSlot', () => {
  test('takes the first free one in the order of the agents, at once', async () => {
    await using world = createHouseDouble({ backends: { north: { slots: 1 }, south: {} } })
    const { call } = callAt(world)
    const take = () => takeSlot(world.house, call, candidatesOf(world), WAIT_MS)
    const taken = [take(), take()].map((one) => (one instanceof Promise ? null : one))
    expect(taken.map((one) => one?.slot.agent.backend)).toEqual(['north', 'south'])
    expect(taken.map((one) => one?.candidate.offer.backend.id)).toEqual(['north', 'south'])
    for (const one of taken) giveBack(one)
  })

  test('of two candidates at one backend the first has its place, free or waited for', async () => {
    const { world, free } = fullHouse()
    await using _ = world
    const [north] = candidatesOf(world)
    if (north === undefined) throw new Error('no candidate')
    const first = { ...north, outputLimit: 1 }
    const { call } = callAt(world)
    const waited = takeSlot(world.house, call, [first, north], WAIT_MS)
    expect(world.agent('north').stats().waiters).toBe(1)
    free(0)
    const taken = await waited
    expect(taken?.candidate).toBe(first)
    giveBack(taken)
    const again = await takeSlot(world.house, call, [first, north], WAIT_MS)
    expect(again?.candidate).toBe(first)
    giveBack(again)
    free(0)
  })

  test('asks for the right to send with whose credential it is: a quarantine of ours is none of an account’s own', async () => {
    const { world, freeAll } = fullHouse()
    await using _ = world
    const { health } = world.house
    const [claim, chanceOf] = [spyOn(health, 'claim'), spyOn(health, 'chanceOf')]
    const [north, south] = candidatesOf(world)
    if (north === undefined || south === undefined) throw new Error('no candidates')
    const own = { ...north, own: OWN }
    const { call } = callAt(world)
    const waited = takeSlot(world.house, call, [own, south], WAIT_MS)
    expect(chanceOf.mock.calls.map(([backend, , isOwn]) => [backend.id, isOwn])).toEqual([
      ['north', true],
      ['south', false],
    ])
    freeAll()
    giveBack(await waited)
    giveBack(await takeSlot(world.house, call, [south], WAIT_MS))
    expect(claim.mock.calls.map(([backend, , isOwn]) => [backend.id, isOwn])).toEqual([
      ['north', true],
      ['south', false],
    ])
  })

  test('when all are full, the first that becomes free anywhere; the other lines are left', async () => {
    const { world, agents, free } = fullHouse()
    await using _ = world
    const { taken, listeners } = waiting(world)
    expect([world.traffic.waiters, listeners()]).toEqual([1, 1])
    free(1)
    const slot = await taken
    expect(slot?.slot.agent.backend).toBe('south')
    expect(slot?.candidate.offer.backend.id).toBe('south')
    expect(agents.map((agent) => agent.stats().waiters)).toEqual([0, 0])
    expect([world.traffic.waiters, world.clock.timers, listeners()]).toEqual([0, 0, 0])
    giveBack(slot)
    free(0)
  })

  test('one that goes out while it waits gives it nothing: it waits for the others, until all are out', async () => {
    const { world, free } = fullHouse()
    await using _ = world
    const goesOut = (backend: string) =>
      world.house.health.set({ backend, reason: 'works', forMs: null }, { actor: 'me', claim: null })
    const one = waiting(world)
    const other = waiting(world)
    await goesOut('north')
    free(0)
    await settleMicrotasks()
    expect(world.traffic.waiters).toBe(2)
    free(0)
    const taken = await one.taken
    expect(taken?.candidate.offer.backend.id).toBe('south')
    await goesOut('south')
    giveBack(taken)
    expect(await other.taken).toBeNull()
  })

  test('nothing at once when all are out: nobody waits for them', async () => {
    const { world, freeAll } = fullHouse()
    await using _ = world
    for (const backend of ['north', 'south'])
      await world.house.health.set({ backend, reason: 'works', forMs: null }, { actor: 'me', claim: null })
    expect(takeSlot(world.house, callAt(world).call, candidatesOf(world), WAIT_MS)).toBeNull()
    freeAll()
  })

  test('waiters are served in their order, and nobody overtakes them', async () => {
    const { world, free, freeAll } = fullHouse()
    await using _ = world
    const order: string[] = []
    const inLine = async (name: string): Promise<Taken | null> => {
      const slot = await waiting(world).taken
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

  test('nothing when its time is over', async () => {
    const { world, agents, freeAll } = fullHouse()
    await using _ = world
    const { taken } = waiting(world)
    world.clock.advance(4999)
    expect(world.traffic.waiters).toBe(1)
    world.clock.advance(1)
    expect(await taken).toBeNull()
    expect(agents.map((agent) => agent.stats().waiters)).toEqual([0, 0])
    freeAll()
  })

  test('nothing at once when too many wait, or waiting is switched off', async () => {
    const { world, freeAll } = fullHouse({ limits: { waitersMax: 1 } })
    await using _ = world
    const first = waiting(world)
    const { call } = callAt(world)
    expect(takeSlot(world.house, call, candidatesOf(world), WAIT_MS)).toBeNull()
    first.leave()
    await first.taken
    expect(takeSlot(world.house, call, candidatesOf(world), 0)).toBeNull()
    freeAll()
  })

  test('nothing when the caller leaves, also before it waits', async () => {
    const { world, agents, freeAll } = fullHouse()
    await using _ = world
    const { taken, leave } = waiting(world)
    leave()
    expect(await taken).toBeNull()
    const gone = callAt(world)
    gone.leave()
    expect(await takeSlot(world.house, gone.call, candidatesOf(world), WAIT_MS)).toBeNull()
    expect(agents.map((agent) => agent.stats().waiters)).toEqual([0, 0])
    freeAll()
  })

  test('a slot that frees up in the tick in which a caller leaves goes to the next in line', async () => {
    const { world, free, freeAll } = fullHouse()
    await using _ = world
    const first = waiting(world)
    const second = waiting(world)
    first.leave()
    free(0)
    await settleMicrotasks()
    expect(await first.taken).toBeNull()
    giveBack(await second.taken)
    freeAll()
  })
})
