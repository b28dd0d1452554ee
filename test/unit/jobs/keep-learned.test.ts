import { expect, test } from 'bun:test'
import { keepLearned } from '../../../src/jobs/index.ts'
import { healthWorld, OK } from '../health/health-kit.ts'

const LIFE_MS = 3_600_000

function keeping() {
  const world = healthWorld()
  const { clock, health, store } = world
  const stop = keepLearned({ clock, health, writer: store.writer, settings: () => ({ lifeMs: LIFE_MS }) })
  return { ...world, stop, tables: store.tables }
}

test('a session is on disk within a second, what was observed within half a minute', () => {
  const { health, clock, tables, attempt } = keeping()
  attempt(OK)
  health.sessions.served({ accountId: 'acc', session: 's', model: 'm' }, 'south')
  clock.advance(1000)
  expect([tables.sticky.size, tables.observed.size]).toEqual([1, 0])
  clock.advance(29_000)
  expect(tables.observed.size).toBe(2)
})

test('many are written in steps', () => {
  const { clock, tables, attempt } = keeping()
  for (let at = 0; at < 120; at++) attempt(OK, { offer: `south/${at}` })
  const offers = () => new Set([...tables.observed.values()].map(({ offer }) => offer)).size
  clock.advance(30_000)
  expect(offers()).toBe(50)
  clock.advance(1000)
  expect(offers()).toBe(100)
  clock.advance(1000)
  expect(offers()).toBe(120)
})

test('the rest is written when it stops', () => {
  const { health, clock, tables, attempt, stop } = keeping()
  attempt(OK)
  health.sessions.served({ accountId: 'acc', session: 's', model: 'm' }, 'south')
  stop()
  expect([tables.sticky.size, tables.observed.size, clock.timers]).toEqual([1, 2, 0])
})

test('what has expired is taken from memory and disk', () => {
  const { health, clock, tables, attempt } = keeping()
  attempt(OK)
  health.sessions.served({ accountId: 'acc', session: 's', model: 'm' }, 'south')
  clock.advance(LIFE_MS - 1000)
  expect([tables.sticky.size, health.sessions.size]).toEqual([1, 1])
  clock.advance(300_000)
  expect([tables.sticky.size, health.sessions.size]).toEqual([0, 0])
  expect([...tables.observed.values()].map(({ lengthMs }) => lengthMs)).toEqual([900_000])
  clock.advance(86_400_000)
  expect(tables.observed.size).toBe(0)
})
