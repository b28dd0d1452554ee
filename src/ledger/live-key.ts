import {
  type BudgetName,
  budgetDays,
  budgetEndMs,
  dayOf,
  type KeyBudgets,
  type Money,
  money,
  ZERO,
} from '../domain/index.ts'
import type { KeySpend } from '../store/index.ts'
import type { BudgetLeft } from './contract.ts'

/** What a key with budgets has spent and holds, in the running windows. Only the ledger changes it. */
export interface LiveKey {
  readonly id: string
  /** Whether what is on disk from before its time is in it. */
  isOpen: boolean
  /** The UTC day that the windows are those of. */
  day: number
  readonly windows: Readonly<Record<BudgetName, SpendWindow>>
  openHolds: number
  /** Settlements that are not on disk yet. */
  unacknowledged: number
  usedLately: boolean
}

/** One window: the charges and the open holds of requests whose hold was opened on its first day or later. */
export interface SpendWindow {
  firstDay: number
  spent: Money
  held: Money
}

/** Makes a key that has spent nothing since `wallMs`. */
export function createLiveKey(id: string, wallMs: number): LiveKey {
  const { day, week, month } = budgetDays(wallMs)
  const window = (firstDay: number): SpendWindow => ({ firstDay, spent: ZERO, held: ZERO })
  return {
    id,
    isOpen: false,
    day,
    windows: { total: window(0), day: window(day), week: window(week), month: window(month) },
    openHolds: 0,
    unacknowledged: 0,
    usedLately: false,
  }
}

/** Brings the windows up to a time: those that are over begin anew, with nothing in them. */
export function rollWindows(key: LiveKey, wallMs: number): void {
  if (dayOf(wallMs) === key.day) return
  const days = budgetDays(wallMs)
  key.day = days.day
  for (const name of ['day', 'week', 'month'] as const) {
    const window = key.windows[name]
    if (window.firstDay === days[name]) continue
    window.firstDay = days[name]
    window.spent = ZERO
    window.held = ZERO
  }
}

/** A hold opened at this time is in the windows that it lies in. */
export function addHold(key: LiveKey, amount: Money, openedAtMs: number): void {
  key.openHolds += 1
  growHold(key, amount, openedAtMs)
}

/** An open hold that was opened at this time takes more. */
export function growHold(key: LiveKey, amount: Money, openedAtMs: number): void {
  for (const window of windowsAt(key, openedAtMs)) window.held = counted(window.held + amount)
}

/** The end of such a hold: it was charged this much. What belonged to a window that is over is in none any more. */
export function endHold(key: LiveKey, amount: Money, openedAtMs: number, charged: Money): void {
  key.openHolds -= 1
  for (const window of windowsAt(key, openedAtMs)) {
    window.held = counted(window.held - amount)
    window.spent = counted(window.spent + charged)
  }
}

/** The budget that leaves least, and how much; null when none is set. The windows must be up to the time. */
export function budgetLeft(key: LiveKey, budgets: KeyBudgets, wallMs: number): BudgetLeft | null {
  let name: BudgetName | null = null
  let left: Money = money(Number.MAX_SAFE_INTEGER)
  for (const other of ['total', 'month', 'week', 'day'] as const) {
    const budget = budgets[other]
    if (budget === null) continue
    const { spent, held } = key.windows[other]
    const rest = money(Math.max(0, budget - spent - held))
    if (name !== null && rest >= left) continue
    name = other
    left = rest
  }
  return name === null ? null : { name, left, endsAtMs: budgetEndMs(name, wallMs) }
}

/**
 * Adds what the disk says of the time before. `known` is what the key had spent, in each window, in the tick in which the disk was asked: all of
 * that was on disk. A window that has begun since then has nothing before it.
 */
export function takeSpend(key: LiveKey, spend: KeySpend, known: KnownSpend): void {
  for (const name of ['total', 'month', 'week', 'day'] as const) {
    const window = key.windows[name]
    if (window.firstDay !== known[name].firstDay) continue
    window.spent = counted(window.spent + spend[name] - known[name].spent)
  }
  key.isOpen = true
}

export type KnownSpend = Readonly<Record<BudgetName, Readonly<Pick<SpendWindow, 'firstDay' | 'spent'>>>>

/** What a key has spent, as `takeSpend` wants to know it. */
export const knownSpend = ({ windows: { total, day, week, month } }: LiveKey): KnownSpend => ({
  total: { ...total },
  day: { ...day },
  week: { ...week },
  month: { ...month },
})

const windowsAt = ({ windows }: LiveKey, atMs: number): SpendWindow[] =>
  Object.values(windows).filter(({ firstDay }) => dayOf(atMs) >= firstDay)

/** Sums of unmetered accounts may grow beyond what can be counted: they stay at the end of it. */
const counted = (nanoDollars: number): Money => money(Math.min(Math.max(0, nanoDollars), Number.MAX_SAFE_INTEGER))
