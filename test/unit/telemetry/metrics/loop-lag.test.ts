import { expect, test } from 'bun:test'
import { exposition } from '../../../../src/telemetry/metrics/exposition.ts'
import { watchLoopLag } from '../../../../src/telemetry/metrics/loop-lag.ts'
import { readExposition } from '../../../support/exposition.ts'
import { fakeClock } from '../../../support/fake-clock.ts'

test('a loop that is blocked comes late to its timer, one that is not is on time; stopped, nothing is measured', () => {
  const clock = fakeClock()
  let tick = (): void => {}
  const lag = watchLoopLag({
    ...clock,
    every(periodMs, callback) {
      tick = callback
      return clock.every(periodMs, callback)
    },
  })
  const scrape = () => readExposition(exposition(lag.families()))
  clock.advance(300)
  expect(scrape().value('anyrouter_event_loop_lag_seconds_count')).toBe(3)
  expect(scrape().value('anyrouter_event_loop_lag_seconds_sum')).toBe(0)
  lag.stop()
  expect(clock.timers).toBe(0)
  clock.advance(400)
  expect(scrape().value('anyrouter_event_loop_lag_seconds_count')).toBe(3)
  tick() // 300 ms later than it should
  expect(scrape().value('anyrouter_event_loop_lag_seconds_sum')).toBe(0.3)
})
