import { expect, test } from 'bun:test'
import { exclusionOf } from '../../../src/health/index.ts'

const operator = { by: 'local:7', reason: 'a flood', sinceMs: 1000, untilMs: 2000 }
const row = { backend: 'north', version: 1, operator }

test('a backend without a row, or without a cause, may be used', () => {
  expect(exclusionOf(undefined, 1500)).toBeNull()
  expect(exclusionOf({ ...row, operator: null }, 1500)).toBeNull()
})

test("an operator's cause holds until its end, and not in it", () => {
  expect(exclusionOf(row, 1999)).toEqual({ cause: 'operator', ...operator })
  expect(exclusionOf(row, 2000)).toBeNull()
  expect(exclusionOf(row, 9000)).toBeNull()
})

test('without an end it holds until it is cleared', () => {
  const endless = { ...row, operator: { ...operator, untilMs: null } }
  expect(exclusionOf(endless, Number.MAX_SAFE_INTEGER)).toMatchObject({ untilMs: null })
})
