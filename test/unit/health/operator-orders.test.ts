import { expect, test } from 'bun:test'
import { NO_CAUSES } from '../../../src/domain/index.ts'
import { FAILED, healthWorld, NORTH } from './health-kit.ts'

const BY = { actor: 'key:mkey_1', claim: null }
const WISH = { backend: 'north', reason: 'a flood', forMs: 60_000 }

test('takes a backend out and lets it in again; both are in the audit', async () => {
  const { clock, store, health } = healthWorld()
  expect(health.exclusion('north')).toBeNull()
  const nowMs = clock.wallMs()
  const row = await health.set(WISH, BY)
  const operator = { by: BY.actor, reason: 'a flood', sinceMs: nowMs, untilMs: nowMs + 60_000 }
  expect(row).toEqual({ ...NO_CAUSES, backend: 'north', operator, version: 1 })
  expect(health.exclusion('north')).toEqual({ cause: 'operator', ...operator })
  expect(health.exclusion('south')).toBeNull()
  expect(health.claim(NORTH, true)).toBe('out')
  expect(store.tables.quarantine.get('north')).toEqual(row)

  expect(await health.clear('north', BY)).toEqual({ ...NO_CAUSES, backend: 'north', version: 2 })
  expect(health.exclusion('north')).toBeNull()
  expect(store.tables.audit).toMatchObject([
    {
      actor: BY.actor,
      action: 'quarantine.set',
      subject: 'north',
      details: { reason: 'a flood', until_ms: nowMs + 60_000 },
    },
    { actor: BY.actor, action: 'quarantine.clear', subject: 'north', details: { causes: ['operator'] } },
  ])
})

test('may say it again: what was said before is replaced', async () => {
  const { clock, health } = healthWorld()
  await health.set(WISH, BY)
  clock.advance(50_000)
  expect(health.rows()).toMatchObject([{ backend: 'north', operator: { reason: 'a flood' } }])
  await health.set({ ...WISH, reason: 'still wet', forMs: null }, BY)
  clock.advance(1_000_000)
  expect(health.exclusion('north')).toMatchObject({ reason: 'still wet', untilMs: null })
})

test('is no longer listed once it is over', async () => {
  const { clock, health } = healthWorld()
  await health.set(WISH, BY)
  clock.advance(59_999)
  expect(health.rows()).toHaveLength(1)
  clock.advance(1)
  expect(health.rows()).toEqual([])
})

test('beside what was found out leaves that as it is', async () => {
  const world = healthWorld()
  world.attempts(5, FAILED)
  await world.health.set({ ...WISH, backend: 'south' }, BY)
  expect(world.health.rows()).toMatchObject([{ backend: 'south', failures: { streak: 5 } }])
})

test('that ends what was found out begins its counts anew', async () => {
  const world = healthWorld()
  world.attempts(5, FAILED)
  expect(world.health.stateOf('south')).toBe('out')
  await world.health.clear('south', BY)
  world.attempts(4, FAILED)
  expect(world.health.stateOf('south')).toBe('in')
})
