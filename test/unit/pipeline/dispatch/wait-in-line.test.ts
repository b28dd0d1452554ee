import { expect, test } from 'bun:test'
import type { Slot } from '../../../../src/agents/index.ts'
import { type Line, waitInLine } from '../../../../src/pipeline/dispatch/wait-in-line.ts'
import { createHouseDouble, type HouseSpec } from '../../../support/house.ts'
import { callAt } from '../support.ts'

/** A request that waits at two agents, each of which has its one slot taken. */
function waiting(more: Partial<Line<Slot>> = {}, spec: HouseSpec = {}) {
  const world = createHouseDouble({ backends: { north: { slots: 1 }, south: { slots: 1 } }, ...spec })
  const agents = [world.agent('north'), world.agent('south')]
  const slots = agents.map((agent) => agent.take())
  const line = { agents, waitMs: 5000, take: (slot: Slot) => slot, ...more }
  const { call } = callAt(world)
  const free = (at: number): void => {
    const slot = slots[at]
    if (slot) slot.agent.release(slot)
  }
  return {
    world,
    free,
    lines: () => agents.map((agent) => agent.stats().waiters),
    wait: () => waitInLine(world.house, call, line),
  }
}

test('the first slot ends the wait everywhere', async () => {
  const { world, free, lines, wait } = waiting()
  await using _ = world
  const waited = wait()
  expect([lines(), world.traffic.waiters]).toEqual([[1, 1], 1])
  free(1)
  const slot = await waited
  expect(slot?.agent.backend).toBe('south')
  expect([lines(), world.traffic.waiters, world.clock.timers]).toEqual([[0, 0], 0, 0])
  slot?.agent.release(slot)
  free(0)
})

test('nobody waits where too many do, or without time', async () => {
  for (const [more, spec] of [
    [{}, { limits: { waitersMax: 0 } }],
    [{ waitMs: 0 }, {}],
  ] as const) {
    const { world, free, wait } = waiting(more, spec)
    await using _ = world
    expect(wait()).toBeNull()
    free(0)
    free(1)
  }
})

test('who declines leaves that line, waits in the others, and may come back', async () => {
  const back: (() => void)[] = []
  let isWanted = false
  const { world, free, lines, wait } = waiting({
    take: (slot) => (isWanted ? slot : null),
    onReturn(_, comeBack) {
      back.push(comeBack)
      return () => {
        back.length = 0
      }
    },
  })
  await using _ = world
  const waited = wait()
  free(0)
  expect(lines()).toEqual([0, 1])
  isWanted = true
  back[0]?.()
  const slot = await waited
  expect(slot?.agent.backend).toBe('north')
  expect(back).toEqual([])
  slot?.agent.release(slot)
  free(1)
})

test('who declines in vain waits for nothing more', async () => {
  const { world, free, lines, wait } = waiting({ take: () => null, isInVain: () => true })
  await using _ = world
  const waited = wait()
  free(0)
  expect(await waited).toBeNull()
  expect(lines()).toEqual([0, 0])
  free(1)
})
