import { DAY_MS } from '../lib/index.ts'
import type { BudgetName } from './key-terms.ts'

/** The first days of the windows that a day lies in: days since 1970, all in UTC. */
export type BudgetDays = Readonly<Record<Exclude<BudgetName, 'total'>, number>>

const DAYS_PER_WEEK = 7
const FIRST_MONDAY = 4 // 1970-01-05

/** The UTC day of a time, in days since 1970. */
export const dayOf = (wallMs: number): number => Math.floor(wallMs / DAY_MS)

/** The running windows at a time: the UTC day, the week from Monday (ISO 8601), the month. */
export function budgetDays(wallMs: number): BudgetDays {
  const day = dayOf(wallMs)
  const date = new Date(wallMs)
  const month = dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1))
  return { day, week: mondayOf(day), month }
}

/** When the window that a time lies in is over, in ms since 1970; null for the total, which never is. */
export function budgetEndMs(name: BudgetName, wallMs: number): number | null {
  const date = new Date(wallMs)
  switch (name) {
    case 'total':
      return null
    case 'day':
      return (dayOf(wallMs) + 1) * DAY_MS
    case 'week':
      return (mondayOf(dayOf(wallMs)) + DAYS_PER_WEEK) * DAY_MS
    case 'month':
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  }
}

const mondayOf = (day: number): number =>
  day - ((((day - FIRST_MONDAY) % DAYS_PER_WEEK) + DAYS_PER_WEEK) % DAYS_PER_WEEK)
