import { expect, test } from 'bun:test'
import { outputUnits, promptUnits } from '../../../src/ledger/index.ts'

test('a prompt is its text in tokens, rounded up, and its media', () => {
  expect(promptUnits({ promptTextBytes: 10, promptMediaUnits: 0 }, 3)).toBe(4)
  expect(promptUnits({ promptTextBytes: 9, promptMediaUnits: 85 }, 3)).toBe(88)
  expect(promptUnits({ promptTextBytes: 0, promptMediaUnits: 0 }, 3)).toBe(0)
})

test('delivered text is counted in tokens, rounded up', () => {
  expect(outputUnits(0, 3)).toBe(0)
  expect(outputUnits(1, 3)).toBe(1)
  expect(outputUnits(7, 1.5)).toBe(5)
})
