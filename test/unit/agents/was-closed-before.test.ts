import { expect, test } from 'bun:test'
import { wasClosedBefore } from '../../../src/agents/was-closed-before.ts'

const MS = 1000

// 2 × the round trip + 20 ms, at least 25 ms and at most 400 ms.
test.each([
  [0, 25, true],
  [0, 26, false],
  [10, 40, true],
  [10, 41, false],
  [100, 220, true],
  [100, 221, false],
  [1000, 400, true],
  [1000, 401, false],
])('a way of %i ms, closed %i ms after the request left: before it came %p', (roundTripMs, sinceMs, before) => {
  expect(wasClosedBefore(roundTripMs * MS, sinceMs * MS)).toBe(before)
})
