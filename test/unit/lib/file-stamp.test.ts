import { expect, test } from 'bun:test'
import { fileStamp } from '../../../src/lib/index.ts'

test('a time as part of a name: no character that a file system or a shell minds, in order of time', () => {
  expect(fileStamp(Date.UTC(2026, 6, 1, 12, 0, 0, 123))).toBe('20260701T120000123Z')
  const stamps = [0, 1, 999, 1000, 86_400_000, 1_800_000_000_000].map(fileStamp)
  expect(stamps.toSorted()).toEqual(stamps)
})
