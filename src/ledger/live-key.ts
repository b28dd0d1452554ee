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
import { DAY_MS } from '../lib/index.ts'
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
  /** Windows that are over, as long as holds from them are open: what those requests come to counts there. */
  over: readonly OverWindow[]
  /** Settlements that are not on disk yet, as far as the ledger was told. */
  unacknowledged: number
  /** Who waits for the last of them. */
  waiting: (() => void)[]
  usedLately: boolean
}

/** One window: the charges and the open holds of requests whose hold was opened on its first day or later. */
export interface SpendWindow {
  firstDay: number
  spent: Money
  held: Money
  openHolds: number
}

interface OverWindow extends SpendWindow {
  readonly name: BudgetName
  readonly endDay: number
}

/** Makes a key that has spent nothing since `wallMs`. */
export function createLiveKey(id: string, wallMs: number): LiveKey {
  const { day, week, month } = budgetDays(wallMs)
  const window = (firstDay: number): SpendWindow => ({ firstDay, spent: ZERO, held: ZERO, openHolds: 0 })
  return {
    id,
    isOpen: false,
    day,
    windows: { total: window(0), day: window(day), week: window(week), month: window(month) },
    over: [],
    unacknowledged: 0,
    waiting: [],
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
    if (window.openHolds > 0) key.over = [...key.over, { ...window, name, endDay: endDayOf(name, window.firstDay) }]
    window.firstDay = days[name]
    window.spent = ZERO
    window.held = ZERO
    window.openHolds = 0
  }
}

const endDayOf = (name: BudgetName, firstDay: number): number => dayOf(budgetEndMs(name, firstDay * DAY_MS) ?? 0)

/** A hold opened at this time is in the windows that it lies in. */
export function addHold(key: LiveKey, amount: Money, openedAtMs: number): void {
  for (const window of windowsAt(key, openedAtMs)) {
    window.openHolds += 1
    window.held = counted(window.held + amount)
  }
}

/** An open hold that was opened at this time takes more. */
export function growHold(key: LiveKey, amount: Money, openedAtMs: number): void {
  for (const window of windowsAt(key, openedAtMs)) window.held = counted(window.held + amount)
}

/** The end of such a hold: it was charged this much. */
export function endHold(key: LiveKey, amount: Money, openedAtMs: number, charged: Money): void {
  for (const window of windowsAt(key, openedAtMs)) {
    window.openHolds -= 1
    window.held = counted(window.held - amount)
    window.spent = counted(window.spent + charged)
  }
  if (key.over.length > 0) key.over = key.over.filter(({ openHolds }) => openHolds > 0)
}

/** One more settlement of the key is on disk. */
export function acknowledge(key: LiveKey): void {
  key.unacknowledged -= 1
  if (key.unacknowledged > 0) return
  for (const resolve of key.waiting.splice(0)) resolve()
}

/** Resolves when the key's settlements are on disk, also those that came up while it waited. */
export async function whenAcknowledged(key: LiveKey): Promise<void> {
  while (key.unacknowledged > 0) await new Promise<void>((resolve) => key.waiting.push(resolve))
}

/**
 * The budget that leaves least in the windows of this time, and how much; null when none is set. It is the present, up to which the windows must be,
 * or the time at which a hold was opened that is open still.
 */
export function budgetLeft(key: LiveKey, budgets: KeyBudgets, wallMs: number): BudgetLeft | null {
  const day = dayOf(wallMs)
  let name: BudgetName | null = null
  let left: Money = money(Number.MAX_SAFE_INTEGER)
  for (const other of ['total', 'month', 'week', 'day'] as const) {
    const budget = budgets[other]
    if (budget === null) continue
    const { spent, held } = windowOf(key, other, day)
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

/** Of a window that is over and has no open holds nobody asks. */
const windowOf = ({ windows, over }: LiveKey, name: BudgetName, day: number): SpendWindow =>
  over.length === 0 ? windows[name] : (over.find((one) => one.name === name && isIn(one, day)) ?? windows[name])

function windowsAt({ windows, over }: LiveKey, atMs: number): SpendWindow[] {
  const day = dayOf(atMs)
  const running = Object.values(windows).filter(({ firstDay }) => day >= firstDay)
  return over.length === 0 ? running : [...running, ...over.filter((window) => isIn(window, day))]
}

const isIn = ({ firstDay, endDay }: OverWindow, day: number): boolean => firstDay <= day && day < endDay

/** Sums of unmetered accounts may grow beyond what can be counted: they stay at the end of it. */
const counted = (nanoDollars: number): Money => money(Math.min(Math.max(0, nanoDollars), Number.MAX_SAFE_INTEGER))
