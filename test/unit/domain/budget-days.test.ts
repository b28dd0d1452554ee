import { expect, test } from 'bun:test'
import { budgetDays, budgetEndMs, dayOf } from '../../../src/domain/index.ts'

const at = (text: string): number => Date.parse(text)
const day = (text: string): number => dayOf(at(`${text}T00:00:00Z`))

test.each([
  ['a Monday', '2026-03-30T00:00:00Z', '2026-03-30', '2026-03-30', '2026-03-01'],
  ['its last millisecond', '2026-03-30T23:59:59.999Z', '2026-03-30', '2026-03-30', '2026-03-01'],
  ['a Sunday', '2026-04-05T12:00:00Z', '2026-04-05', '2026-03-30', '2026-04-01'],
  ['the first of a year', '2027-01-01T00:00:00Z', '2027-01-01', '2026-12-28', '2027-01-01'],
  ['a leap day', '2028-02-29T23:00:00Z', '2028-02-29', '2028-02-28', '2028-02-01'],
  ['the beginning of counting', '1970-01-01T00:00:00Z', '1970-01-01', '1969-12-29', '1970-01-01'],
])('windows of %s', (_what, now, today, monday, first) => {
  expect(budgetDays(at(now))).toEqual({ day: day(today), week: day(monday), month: day(first) })
})

test('the ends of windows', () => {
  const now = at('2026-12-30T15:00:00Z')
  expect(budgetEndMs('total', now)).toBeNull()
  expect(budgetEndMs('day', now)).toBe(at('2026-12-31T00:00:00Z'))
  expect(budgetEndMs('week', now)).toBe(at('2027-01-04T00:00:00Z'))
  expect(budgetEndMs('month', now)).toBe(at('2027-01-01T00:00:00Z'))
})
