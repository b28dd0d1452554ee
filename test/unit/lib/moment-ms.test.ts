import { expect, test } from 'bun:test'
import { momentMs } from '../../../src/lib/index.ts'

test('days and moments', () => {
  expect(momentMs('2027-01-31')).toBe(Date.UTC(2027, 0, 31))
  expect(momentMs('2027-01-31T12:00:00+01:00')).toBe(Date.UTC(2027, 0, 31, 11))
  expect(momentMs('2027-01-31T12:00:00.5Z')).toBe(Date.UTC(2027, 0, 31, 12, 0, 0, 500))
  for (const text of ['2027-13-01', '2027-01-31T12:00:00', '31.1.2027', 'today', '']) expect(momentMs(text)).toBeNull()
})

test('days that are in no calendar are none, and never another day', () => {
  for (const day of ['2027-02-29', '2027-02-30', '2027-04-31', '2027-00-10', '2027-01-00', '2027-01-32']) {
    expect(momentMs(day)).toBeNull()
    expect(momentMs(`${day}T12:00:00Z`)).toBeNull()
  }
  expect(momentMs('2028-02-29')).toBe(Date.UTC(2028, 1, 29))
  expect(momentMs('2027-01-31T25:00:00Z')).toBeNull()
})
