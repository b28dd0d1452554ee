import { expect, test } from 'bun:test'
import { createSteadyClock, inSteadyTime, inWallTime } from '../../../src/lib/steady-clock.ts'
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

test('what lasts is told in either time; what does not end by itself does not in the other either', () => {
  const clock = fakeClock(1000)
  const steady = createSteadyClock(clock)
  const lasting = { sinceMs: 1000, untilMs: 1600, reason: 'a' }
  expect(inWallTime(steady, lasting)).toBe(lasting)
  clock.stepWall(3_600_000)
  const inWall = { ...lasting, sinceMs: 3_601_000, untilMs: 3_601_600 }
  expect(inWallTime(steady, lasting)).toEqual(inWall)
  expect(inSteadyTime(steady, inWall)).toEqual(lasting)
  expect(inWallTime(steady, { ...lasting, untilMs: null })).toEqual({ ...inWall, untilMs: null })
})
