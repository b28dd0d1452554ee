import { expect, test } from 'bun:test'
import { RecentTimes } from '../../../src/agents/recent-times.ts'

test('the figures are of the last 128, by rank', () => {
  const times = new RecentTimes()
  expect(times.quantiles()).toBeNull()
  times.note(7)
  expect(times.quantiles()).toEqual({ p50Us: 7, p95Us: 7, samples: 1 })
  for (let us = 100; us >= 1; us--) times.note(us)
  expect(times.quantiles()).toEqual({ p50Us: 50, p95Us: 95, samples: 101 })
  for (let n = 0; n < 128; n++) times.note(1000)
  expect(times.quantiles()).toEqual({ p50Us: 1000, p95Us: 1000, samples: 128 })
})
