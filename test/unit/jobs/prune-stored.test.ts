import { expect, test } from 'bun:test'
import { pruneStored } from '../../../src/jobs/index.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { createHouseDouble } from '../../support/house.ts'
import { seedThings, thingOf } from '../pipeline/kept-kit.ts'

const HOUR_MS = 3_600_000

test('what has ended is forgotten at the start and once an hour; a disk that fails is asked again', async () => {
  const world = createHouseDouble()
  const { clock, store, house } = world
  const left = () => [...store.tables.stored.values()].map(({ id }) => id)
  const endsIn = (id: string, ms: number) => thingOf({ id, untilMs: clock.wallMs() + ms })
  seedThings(world, endsIn('past', -1), endsIn('soon', 1), endsIn('later', 2 * HOUR_MS), thingOf({ id: 'endless' }))
  const stop = pruneStored({ clock, expiries: house.expiries, log: house.log, writer: store.writer })
  await settleMicrotasks()
  expect(left()).toEqual(['soon', 'later', 'endless'])
  store.disk.fail()
  clock.advance(HOUR_MS)
  await settleMicrotasks()
  expect(world.logs.map(({ event }) => event)).toEqual(['stored_not_pruned'])
  store.disk.heal()
  clock.advance(HOUR_MS)
  await settleMicrotasks()
  expect(left()).toEqual(['later', 'endless'])
  stop()
  expect(clock.timers).toBe(0)
})
