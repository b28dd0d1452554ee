import { budgetDays } from '../../domain/index.ts'
import { DAY_MS } from '../../lib/index.ts'

const LONGEST_DAYS = 31

/** The first day of a day's month: days since 1970, in UTC. */
export const firstOfMonth = (day: number): number => budgetDays(day * DAY_MS).month

/** The day itself if it is the first of a month, else the first of the next. */
export function nextFirstOfMonth(day: number): number {
  const first = firstOfMonth(day)
  return first === day ? day : firstOfMonth(first + LONGEST_DAYS)
}
