import { describe, expect, test } from 'bun:test'
import { dispatch } from '../../../../src/pipeline/dispatch/dispatch.ts'
import { takeSlot } from '../../../../src/pipeline/dispatch/take-slot.ts'
import type { AffordableCandidate } from '../../../../src/pipeline/handover.ts'
import { settleMicrotasks } from '../../../support/fake-clock.ts'
import { type HouseDouble, MODEL } from '../../../support/house.ts'
import { status } from '../../../support/script.ts'
import { finish, text } from '../../../support/sse.ts'
import { callAt, candidatesOf, preparedOf } from '../support.ts'
import { SSE_HEAD } from './attempt-kit.ts'
import { dispatching, errorOf, houseOf, PLAIN, sentTo } from './dispatch-kit.ts'

const COOLDOWN_MS = 15_000

/** North fails until it is out. */
async function takenOut(world: HouseDouble): Promise<void> {
  world.agent('north').plays(status(500))
  world.agent('south').plays(PLAIN)
  for (let at = 0; at < 5; at++) await dispatching(world).ended
  expect(world.house.health.stateOf('north')).toBe('out')
}

describe('a backend that fails', () => {
  test('is sent nothing from its fifth failure on, also by requests that were planned before', async () => {
    await using world = houseOf(2)
    await takenOut(world)
    const { call, ended } = dispatching(world) // its plan still has north
    expect(errorOf(await ended)).toBe('answered')
    expect(sentTo(world)).toEqual([5, 6, 0, 0])
    expect(call.attempts).toHaveLength(1)
    expect(call.skips).toMatchObject([
      {
        backend: 'north',
        rule: 'quarantined',
        reason: 'the backend was quarantined meanwhile',
        evidence: 'failures: failed (status): answered with status 500',
      },
    ])
  })

  test('alone: the caller is told when to come back', async () => {
    await using world = houseOf(1)
    world.agent('north').plays(status(500))
    for (let at = 0; at < 5; at++)
      expect(errorOf(await dispatching(world).ended)).toMatchObject({ code: 'provider_failed' })
    const end = await dispatching(world).ended
    expect(errorOf(end)).toMatchObject({ code: 'no_backend' })
    if (end.kind !== 'unserved') throw new Error(end.kind)
    const { retryAfterMs = 0 } = end.error.details
    expect(retryAfterMs).toBeGreaterThanOrEqual(COOLDOWN_MS * 0.8)
    expect(retryAfterMs).toBeLessThanOrEqual(COOLDOWN_MS)
    expect(sentTo(world)).toEqual([5, 0, 0, 0])
  })

  test('gets one request when its time is over, the others go on; when that is served, all may come', async () => {
    await using world = houseOf(2)
    await takenOut(world)
    world.clock.advance(COOLDOWN_MS)
    const north = world.agent('north')
    north.plays()
    const trial = dispatching(world)
    const beside = dispatching(world)
    expect(errorOf(await beside.ended)).toBe('answered')
    expect(sentTo(world)).toEqual([6, 6, 0, 0])
    expect(beside.call.skips).toMatchObject([{ rule: 'quarantined', reason: expect.stringContaining('one trial') }])
    north.exchanges.at(-1)?.play(PLAIN)
    expect(errorOf(await trial.ended)).toBe('answered')
    expect(world.house.health.stateOf('north')).toBe('in')
    north.plays(PLAIN)
    await Promise.all([dispatching(world).ended, dispatching(world).ended])
    expect(sentTo(world)).toEqual([8, 6, 0, 0])
  })

  test('proved by the first content of a stream: nobody waits for its end', async () => {
    await using world = houseOf(1)
    world.agent('north').plays(status(500))
    for (let at = 0; at < 5; at++) await dispatching(world).ended
    world.clock.advance(COOLDOWN_MS)
    const north = world.agent('north')
    north.plays()
    const { ended } = dispatching(world, { stream: true })
    north.exchanges.at(-1)?.play(SSE_HEAD, text('a'))
    const end = await ended
    expect(world.house.health.stateOf('north')).toBe('in')
    north.plays(PLAIN)
    expect(errorOf(await dispatching(world).ended)).toBe('answered')
    if (end.kind !== 'streaming') throw new Error(end.kind)
    end.live.attach({ events() {}, end() {}, broken() {} })
    north.exchanges.find(({ state }) => state === 'open')?.play(finish(), { end: true })
    end.slot.agent.release(end.slot)
  })
})

describe('while the only trial is under way', () => {
  async function halfOpen(world: HouseDouble): Promise<void> {
    world.agent('north').plays(status(500))
    for (let at = 0; at < 5; at++) await dispatching(world).ended
    world.clock.advance(COOLDOWN_MS)
    world.agent('north').plays()
  }

  test('requests that have no other backend wait for its end, and go on when it served', async () => {
    await using world = houseOf(1)
    await halfOpen(world)
    const trial = dispatching(world)
    const waiting = [dispatching(world), dispatching(world)]
    await settleMicrotasks()
    expect(world.traffic.waiters).toBe(2)
    const north = world.agent('north')
    expect(north.exchanges).toHaveLength(6)
    north.plays(PLAIN)
    north.exchanges.at(-1)?.play(PLAIN)
    expect(errorOf(await trial.ended)).toBe('answered')
    for (const { ended } of waiting) expect(errorOf(await ended)).toBe('answered')
  })

  test('one that fails ends their waiting at once; one that proves nothing leaves them the next', async () => {
    await using world = houseOf(1)
    await halfOpen(world)
    const first = dispatching(world)
    const [second, third] = [dispatching(world), dispatching(world)]
    await settleMicrotasks()
    const north = world.agent('north')
    first.call.leave.fire('client')
    expect(errorOf(await first.ended)).toMatchObject({ code: 'client_closed_request' })
    await settleMicrotasks()
    expect(north.exchanges).toHaveLength(7)
    expect(world.traffic.waiters).toBe(1)
    north.exchanges.at(-1)?.play(status(500))
    expect(errorOf(await second.ended)).toMatchObject({ code: 'provider_failed' })
    expect(errorOf(await third.ended)).toMatchObject({ code: 'no_backend' })
    expect(north.exchanges).toHaveLength(7)
  })

  test('nobody waits longer than for a slot', async () => {
    await using world = houseOf(1)
    await halfOpen(world)
    const trial = dispatching(world)
    const waiting = dispatching(world)
    await settleMicrotasks()
    world.clock.advance(5000)
    const end = await waiting.ended
    expect(errorOf(end)).toMatchObject({ code: 'no_backend' })
    expect(end.kind === 'unserved' && end.error.details.retryAfterMs).toBe(1000)
    world.agent('north').exchanges.at(-1)?.play(PLAIN)
    await trial.ended
  })

  test('a slot that is free for nobody goes back, and the line goes on', async () => {
    await using world = houseOf(1)
    await halfOpen(world)
    const [candidate] = candidatesOf(world) as [AffordableCandidate]
    const { call } = dispatching(world)
    expect(takeSlot(world.house, call, [candidate], 0)).toBeNull()
    expect(world.agent('north').stats().slotsTaken).toBe(1)
    world.agent('north').exchanges.at(-1)?.play(PLAIN)
    await settleMicrotasks()
  })
})

test('the least bad of all is tried once at a time', async () => {
  await using world = houseOf(1)
  world.agent('north').plays(status(500))
  for (let at = 0; at < 5; at++) await dispatching(world).ended
  const north = world.agent('north')
  north.plays()
  const tried = dispatchingLeastBad(world)
  const other = dispatchingLeastBad(world)
  await settleMicrotasks()
  expect(north.exchanges).toHaveLength(6)
  north.plays(PLAIN)
  north.exchanges.at(-1)?.play(PLAIN)
  expect(errorOf(await tried)).toBe('answered')
  expect(errorOf(await other)).toBe('answered')
})

function dispatchingLeastBad(world: HouseDouble) {
  const { call } = callAt(world)
  call.clock.enter('wait')
  const candidates = candidatesOf(world).map((candidate) => ({ ...candidate, trial: 'least_bad' as const }))
  return dispatch(world.house, call, { candidates, prepared: preparedOf(), model: MODEL, attemptsMax: 3 })
}
