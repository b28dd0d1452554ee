import { describe, expect, test } from 'bun:test'
import { forgetAnswers } from '../../../src/jobs/index.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { createHouseDouble } from '../../support/house.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

function keeping() {
  const world = createHouseDouble()
  const { clock, store, house } = world
  const keep = (idempotencyKey: string) =>
    store.tables.keptAnswers.set(idempotencyKey, {
      requestHash: '',
      answer: null,
      sealed: null,
      atMs: clock.wallMs(),
    })
  return {
    world,
    keep,
    kept: () => [...store.tables.keptAnswers.keys()],
    start: () => forgetAnswers({ clock, expiries: house.expiries, log: house.log, writer: store.writer }),
  }
}

describe('forgetAnswers', () => {
  test('forgets what is a day old: at the start, and then once an hour', async () => {
    const { world, keep, kept, start } = keeping()
    keep('old')
    world.clock.advance(DAY_MS)
    keep('new')
    world.clock.advance(1)
    const stop = start()
    await settleMicrotasks()
    expect(kept()).toEqual(['new'])
    world.clock.advance(DAY_MS - HOUR_MS - 1)
    await settleMicrotasks()
    expect(kept()).toEqual(['new'])
    world.clock.advance(2 * HOUR_MS)
    await settleMicrotasks()
    expect(kept()).toEqual([])
    stop()
    expect(world.clock.timers).toBe(0)
  })

  test('what cannot be written now is tried again an hour later', async () => {
    const { world, keep, kept, start } = keeping()
    keep('old')
    world.clock.advance(DAY_MS + 1)
    world.store.disk.fail()
    const stop = start()
    await settleMicrotasks()
    expect(kept()).toEqual(['old'])
    expect(world.logs.map(({ event }) => event)).toEqual(['answers_not_forgotten'])
    world.store.disk.heal()
    world.clock.advance(HOUR_MS)
    await settleMicrotasks()
    expect(kept()).toEqual([])
    stop()
  })
})
