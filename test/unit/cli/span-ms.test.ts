import { expect, test } from 'bun:test'
import { spanMs } from '../../../src/cli/span-ms.ts'
import { timeAhead } from '../../../src/cli/time-ahead.ts'
import { timeBack } from '../../../src/cli/time-back.ts'

test('spans', () => {
  expect(['30s', '10m', '12h', '7d', '0s'].map(spanMs)).toEqual([30_000, 600_000, 43_200_000, 604_800_000, 0])
  for (const text of ['', '10', 'm', '1.5h', '-1d', '10 m', '1w', '9999999d', '10M']) expect(spanMs(text)).toBeNull()
})

test('back and ahead are mirrored, and never before 1970', () => {
  expect(timeBack('1m', 100_000)).toBe(40_000)
  expect(timeAhead('1m', 100_000)).toBe(160_000)
  expect(timeBack('7d', 100_000)).toBe(0)
  expect(timeBack('2027-01-31', 5)).toBe(Date.UTC(2027, 0, 31))
  for (const wrong of [() => timeBack('soon', 5), () => timeAhead('soon', 5)]) expect(wrong).toThrow('Write a span')
})
