import { describe, expect, test } from 'bun:test'
import { dispatch } from '../../../../src/pipeline/dispatch/dispatch.ts'
import { settleMicrotasks } from '../../../support/fake-clock.ts'
import { createHouseDouble, MODEL } from '../../../support/house.ts'
import { status } from '../../../support/script.ts'
import { callAt, candidatesOf, preparedOf } from '../support.ts'
import { dispatching, errorOf, fill, houseOf, PLAIN, sentTo } from './dispatch-kit.ts'

describe('full backends', () => {
  test('are passed over at no cost', async () => {
    await using world = houseOf(2)
    const free = fill(world, 'north')
    world.agent('south').plays(PLAIN)
    const { call, ended } = dispatching(world)
    expect((await ended).kind).toBe('answered')
    expect(call.attempts.map(({ backend, number }) => [backend, number])).toEqual([['south', 1]])
    expect(call.skips).toEqual([
      { offer: 'north/acme/m', backend: 'north', rule: 'full', reason: 'every slot of the backend is taken' },
    ])
    free()
    free()
  })

  test('all of them: it waits, and takes the first slot that becomes free; the wait is the gateway’s own time', async () => {
    await using world = houseOf(2)
    const frees = [fill(world, 'north'), fill(world, 'south')]
    world.agent('south').plays(PLAIN)
    const { call, ended } = dispatching(world)
    await world.agent('south').joined()
    expect(call.attempts).toEqual([])
    world.clock.advance(300)
    frees[1]?.()
    expect(await ended).toMatchObject({ kind: 'answered', candidate: { offer: { backend: { id: 'south' } } } })
    expect(call.clock.read()).toMatchObject({
      gwUs: 300_000,
      stages: [
        ['recv', 0],
        ['wait', 300_000],
      ],
    })
    for (const free of frees) for (let slot = 0; slot < 2; slot++) free()
  })

  test('all of them beyond `queue_ms`: no capacity, and not one attempt', async () => {
    await using world = houseOf(1, { routing: { queueMs: 5000 } })
    const free = fill(world, 'north')
    const { call, ended } = dispatching(world)
    world.clock.advance(5000)
    expect(errorOf(await ended)).toEqual({ code: 'no_capacity', mayHaveRun: null })
    expect(call.attempts).toEqual([])
    free()
    free()
  })

  test('however often it waits, it waits `queue_ms` in all', async () => {
    await using world = houseOf(2, { routing: { queueMs: 5000 } })
    const frees = [fill(world, 'north'), fill(world, 'south')]
    world.agent('north').plays(status(500))
    const { call, ended } = dispatching(world)
    await world.agent('north').joined()
    world.clock.advance(3000)
    frees[0]?.()
    await world.agent('north').next()
    await world.agent('south').joined()
    world.clock.advance(1999)
    expect(world.traffic.waiters).toBe(1)
    world.clock.advance(1)
    expect(errorOf(await ended)).toMatchObject({ code: 'provider_failed' })
    expect(call.skips.map(({ backend }) => backend)).toEqual(['south'])
    for (const free of frees) for (let slot = 0; slot < 2; slot++) free()
  })

  test('no longer than an answer would be in time', async () => {
    await using world = createHouseDouble({
      backends: { north: { limits: { totalMs: 1000 } }, south: { limits: { totalMs: 4000 } } },
    })
    const frees = [fill(world, 'north'), fill(world, 'south')]
    const { ended } = dispatching(world)
    await world.agent('south').joined()
    world.clock.advance(3599)
    expect(world.traffic.waiters).toBe(1)
    world.clock.advance(1)
    expect(errorOf(await ended)).toEqual({ code: 'no_capacity', mayHaveRun: null })
    for (const free of frees) for (let slot = 0; slot < 2; slot++) free()
  })

  test('a slot that comes too late for its backend is given back, and another backend waited for', async () => {
    await using world = createHouseDouble({
      backends: { north: { limits: { totalMs: 1000 } }, south: { limits: { totalMs: 4000 } } },
    })
    const frees = [fill(world, 'north'), fill(world, 'south')]
    world.agent('south').plays(PLAIN)
    const { call, ended } = dispatching(world)
    await world.agent('south').joined()
    world.clock.advance(950)
    frees[0]?.()
    await settleMicrotasks()
    expect([world.agent('north').stats().slotsTaken, world.traffic.waiters]).toEqual([1, 1])
    frees[1]?.()
    expect((await ended).kind).toBe('answered')
    expect(call.attempts).toMatchObject([{ backend: 'south' }])
    for (const free of frees) for (let slot = 0; slot < 2; slot++) free()
  })

  test('after a failure: what failed is what is told', async () => {
    await using world = houseOf(2, { routing: { queueMs: 0 } })
    const free = fill(world, 'south')
    world.agent('north').plays(status(500))
    expect(errorOf(await dispatching(world).ended)).toMatchObject({ code: 'provider_failed' })
    free()
    free()
  })
})

describe('a call that must stop', () => {
  test('before a slot is taken', async () => {
    await using world = houseOf(1)
    const caller = callAt(world)
    caller.leave()
    const plan = { candidates: candidatesOf(world), prepared: preparedOf(), model: MODEL, attemptsMax: 3 }
    expect(errorOf(await dispatch(world.house, caller.call, plan))).toEqual({
      code: 'client_closed_request',
      mayHaveRun: null,
    })
    expect(sentTo(world)).toEqual([0, 0, 0, 0])
  })

  test.each([true, false])('while the provider works: which candidate may have run is told (sent %p)', async (sent) => {
    await using world = houseOf(2)
    const { call, leave, ended } = dispatching(world)
    const exchange = await world.agent('north').next()
    if (sent) exchange.written()
    leave()
    expect(errorOf(await ended)).toEqual({ code: 'client_closed_request', mayHaveRun: sent ? 'north' : null })
    expect(call.attempts).toMatchObject([{ outcome: 'cancelled', reason: 'client' }])
    expect(sentTo(world)).toEqual([1, 0, 0, 0])
  })

  test('because of the storage', async () => {
    await using world = houseOf(1)
    const { call, ended } = dispatching(world)
    await world.agent('north').next()
    call.leave.fire('storage')
    expect(errorOf(await ended)).toMatchObject({ code: 'storage_unavailable' })
  })

  test('in the tick in which a slot comes: the slot is back', async () => {
    await using world = houseOf(1)
    const free = fill(world, 'north')
    const { leave, ended } = dispatching(world)
    free()
    leave()
    expect(errorOf(await ended)).toMatchObject({ code: 'client_closed_request' })
    free()
  })
})

describe('a bug', () => {
  test('in the sending rejects; the slot is back', async () => {
    await using world = houseOf(1)
    world.agent('north').breakNextSend(new Error('inner'))
    await expect(dispatching(world).ended).rejects.toThrow('inner')
    expect(world.agent('north').stats().slotsTaken).toBe(0)
  })

  test('in the reading of an answer too', async () => {
    await using world = houseOf(2)
    const { ended } = dispatching(world)
    ;(await world.agent('north').next()).breakReader()
    await expect(ended).rejects.toBeInstanceOf(TypeError)
    expect(world.agent('north').stats().slotsTaken).toBe(0)
  })
})
