import { expect, test } from 'bun:test'
import { timeAhead } from '../../../src/cli/time-ahead.ts'

const NOW_MS = Date.UTC(2026, 0, 1)

test.each([
  ['30s', NOW_MS + 30_000],
  ['10m', NOW_MS + 600_000],
  ['12h', NOW_MS + 43_200_000],
  ['30d', Date.UTC(2026, 0, 31)],
  ['2027-01-31', Date.UTC(2027, 0, 31)],
  ['2027-01-31T12:00:00Z', Date.UTC(2027, 0, 31, 12)],
  ['2027-01-31T12:00+02:00', Date.UTC(2027, 0, 31, 10)],
])('%s', (text, atMs) => {
  expect(timeAhead(text, NOW_MS)).toBe(atMs)
})

test.each(['', '10', '1.5h', '-1h', '10 m', 'tomorrow', '2027-13-01', '2027-01-31T12:00', '1e3d'])('%p', (text) => {
  expect(() => timeAhead(text, NOW_MS)).toThrow('10m, 12h, 30d')
})
