import { expect, test } from 'bun:test'
import { createSteadyClock } from '../../../src/health/steady-clock.ts'
import { fakeClock } from '../../support/fake-clock.ts'

test('goes on by the monotonic clock, whatever the wall clock is set to', () => {
  const clock = fakeClock(1000)
  const steady = createSteadyClock(clock)
  clock.advance(500)
  expect(steady.nowMs()).toBe(1500)
  clock.stepWall(3_600_000)
  expect(steady.nowMs()).toBe(1500)
  expect(steady.toWallMs(1600)).toBe(3_601_600)
  clock.stepWall(-7_200_000)
  clock.advance(100)
  expect(steady.nowMs()).toBe(1600)
  expect(steady.toWallMs(1600)).toBe(clock.wallMs())
})
