import { describe, expect, test } from 'bun:test'
import { type ArrivalSpec, ask } from '../../support/ask.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { createHouseDouble, type HouseDouble, MODEL } from '../../support/house.ts'
import { status } from '../../support/script.ts'
import { completion, done, finish, role, text, usage } from '../../support/sse.ts'
import { reading, recordOf } from './support.ts'

const seen = ({ house }: HouseDouble, backend = 'north') => house.health.observedOf([`${backend}/${MODEL}`])

/** A stream that comes to its content after so long, then sends so many tokens in so long. */
async function streamed(world: HouseDouble, contentMs: number, tokens: number, restMs: number): Promise<void> {
  const { answer } = ask(world, { stream: true })
  const exchange = await world.agent('north').next()
  world.clock.advance(contentMs)
  exchange.play({ status: 200 }, role(), text('a'))
  const body = reading((await answer).body)
  await body.next()
  world.clock.advance(restMs)
  exchange.play(text('b'), finish(), usage(10, tokens), done(), { end: true })
  await body.rest()
  await settleMicrotasks()
}

describe('what a request shows of its backend', () => {
  test('stream: the time to its first content, and its speed after that', async () => {
    await using world = createHouseDouble()
    await streamed(world, 300, 100, 2000)
    expect(seen(world)?.firstContentP50Ms).toBeWithin(285, 315)
    expect(seen(world)?.tokensPerSecond).toBeWithin(47.5, 52.5)
    expect(seen(world)).toMatchObject({ samples: 1, successRate: 1 })
  })

  test('plain: its speed over all of its time, no first content', async () => {
    await using world = createHouseDouble()
    const { answer } = ask(world)
    const exchange = await world.agent('north').next()
    world.clock.advance(4000)
    exchange.play(completion('Hello', 10, 100))
    await answer
    expect(seen(world)?.tokensPerSecond).toBeWithin(23.7, 26.3)
    expect(seen(world)).toMatchObject({ firstContentMs: null, samples: 1 })
  })

  test('each attempt is of its own offer; one that failed has neither time nor speed', async () => {
    await using world = createHouseDouble({ backends: { north: {}, south: {} } })
    world.agent('north').plays(status(500))
    world.agent('south').plays(completion('Hello', 10, 5))
    await ask(world).answer
    expect(seen(world)).toMatchObject({ samples: 1, successRate: 0, firstContentMs: null, throughput: null })
    expect(seen(world, 'south')).toMatchObject({ samples: 1, successRate: 1 })
  })

  test('a caller that leaves says nothing of the speed, and counts neither way', async () => {
    await using world = createHouseDouble()
    const { answer, leave } = ask(world, { stream: true })
    const exchange = await world.agent('north').next()
    exchange.play({ status: 200 }, role(), text('a'))
    await answer
    leave()
    await settleMicrotasks()
    expect(seen(world)).toMatchObject({ samples: 0, throughput: null })
  })
})

describe('a session in the pipeline', () => {
  const SESSION: ArrivalSpec = { headers: { 'x-session-id': 's' } }

  test('goes where it went, while the plan would lead elsewhere', async () => {
    await using world = createHouseDouble({ backends: { north: {}, south: {} } })
    const { sessions } = world.house.health
    const by = { actor: 'local:7', claim: null }
    await world.house.health.set({ backend: 'north', reason: 'x', forMs: null }, by)
    world.agent('south').plays(completion('Hello', 10, 5))
    await (await ask(world, {}, SESSION).answer).text()
    expect((await recordOf(world)).stickiness).toEqual({ kind: 'new' })
    await world.house.health.clear('north', by)
    await (await ask(world, {}, SESSION).answer).text()
    expect(world.agent('south').exchanges).toHaveLength(2)
    expect(sessions.size).toBe(1)
  })
})
