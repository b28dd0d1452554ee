import { expect, test } from 'bun:test'
import { isRecord } from '../../../src/lib/index.ts'

test.each([
  [{}, true],
  [{ a: 1 }, true],
  [null, false],
  [[], false],
  ['text', false],
  [7, false],
  [undefined, false],
])('%p: %p', (value, expected) => {
  expect(isRecord(value)).toBe(expected)
})
