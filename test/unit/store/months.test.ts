import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { firstOfMonth, nextFirstOfMonth } from '../../../src/store/sqlite/months.ts'

const dayOf = (date: string): number => Date.parse(date) / 86_400_000

test.each([
  ['2024-02-29', '2024-02-01', '2024-03-01'],
  ['2024-03-01', '2024-03-01', '2024-03-01'],
  ['2023-02-28', '2023-02-01', '2023-03-01'],
  ['2023-12-02', '2023-12-01', '2024-01-01'],
  ['2024-01-31', '2024-01-01', '2024-02-01'],
])('%s: its month began on %s, the next first is %s', (day, first, next) => {
  expect(firstOfMonth(dayOf(day))).toBe(dayOf(first))
  expect(nextFirstOfMonth(dayOf(day))).toBe(dayOf(next))
})

test('every day of two centuries is in the month that SQLite says', () => {
  const db = new Database(':memory:')
  const days = db
    .query<{ day: number; first: number }, [number]>(
      `WITH RECURSIVE days(day) AS (SELECT 0 UNION ALL SELECT day + 1 FROM days WHERE day < ?)
      SELECT day, unixepoch(day * 86400, 'unixepoch', 'start of month') / 86400 AS first FROM days`,
    )
    .all(dayOf('2170-01-01'))
  expect(days.filter(({ day, first }) => firstOfMonth(day) !== first)).toEqual([])
})
