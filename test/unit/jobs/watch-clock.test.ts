import { expect, test } from 'bun:test'
import { watchClock } from '../../../src/jobs/watch-clock.ts'
import { createExpiryClock } from '../../../src/lib/index.ts'
import { fakeClock } from '../../support/fake-clock.ts'

test('a step of the clock is noticed within a second, without anybody asking', () => {
  const clock = fakeClock()
  const steps: number[] = []
  const stop = watchClock({ clock, expiries: createExpiryClock(clock, (byMs) => steps.push(byMs)) })
  clock.stepWall(60_000)
  clock.advance(1000)
  expect(steps).toEqual([60_000])
  stop()
  expect(clock.timers).toBe(0)
})
