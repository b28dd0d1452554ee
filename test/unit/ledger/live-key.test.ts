import { describe, expect, test } from 'bun:test'
import { type KeyBudgets, money, ZERO } from '../../../src/domain/index.ts'
import {
  acknowledge,
  addHold,
  budgetLeft,
  createLiveKey,
  endHold,
  growHold,
  knownSpend,
  type LiveKey,
  rollWindows,
  takeSpend,
  whenAcknowledged,
} from '../../../src/ledger/live-key.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'

const at = (text: string): number => Date.parse(text)
const WEDNESDAY = at('2026-12-30T23:00:00Z')
const THURSDAY = at('2026-12-31T01:00:00Z')
const NEW_YEAR = at('2027-01-01T01:00:00Z') // the same week
const MONDAY = at('2027-01-04T00:00:00Z')

const sums = ({ windows }: LiveKey) =>
  Object.fromEntries(Object.entries(windows).map(([name, { spent, held }]) => [name, `${spent}+${held}`]))

const budgets = (set: Partial<KeyBudgets>): KeyBudgets => ({ total: null, day: null, week: null, month: null, ...set })

describe('windows', () => {
  test('a hold is in all of them, and its charge takes its place', () => {
    const key = createLiveKey('key_1', WEDNESDAY)
    addHold(key, money(10), WEDNESDAY)
    expect(sums(key)).toEqual({ total: '0+10', day: '0+10', week: '0+10', month: '0+10' })
    endHold(key, money(10), WEDNESDAY, money(4))
    expect(sums(key)).toEqual({ total: '4+0', day: '4+0', week: '4+0', month: '4+0' })
    expect(key.windows.total.openHolds).toBe(0)
  })

  test('those that are over begin anew, each in its own time', () => {
    const key = createLiveKey('key_1', WEDNESDAY)
    addHold(key, ZERO, WEDNESDAY)
    endHold(key, ZERO, WEDNESDAY, money(1))
    rollWindows(key, THURSDAY)
    expect(sums(key)).toEqual({ total: '1+0', day: '0+0', week: '1+0', month: '1+0' })
    rollWindows(key, NEW_YEAR)
    expect(sums(key)).toEqual({ total: '1+0', day: '0+0', week: '1+0', month: '0+0' })
    rollWindows(key, MONDAY)
    expect(sums(key)).toEqual({ total: '1+0', day: '0+0', week: '0+0', month: '0+0' })
    expect(key.over).toEqual([])
  })

  test('a request belongs to the windows of its hold, however late it ends', () => {
    const key = createLiveKey('key_1', WEDNESDAY)
    addHold(key, money(10), WEDNESDAY)
    rollWindows(key, THURSDAY)
    expect(sums(key)).toEqual({ total: '0+10', day: '0+0', week: '0+10', month: '0+10' })
    addHold(key, money(5), THURSDAY)
    endHold(key, money(10), WEDNESDAY, money(7))
    expect(sums(key)).toEqual({ total: '7+5', day: '0+5', week: '7+5', month: '7+5' })
  })

  test('one that is over is known as long as a hold from it is open', () => {
    const key = createLiveKey('key_1', WEDNESDAY)
    addHold(key, money(10), WEDNESDAY)
    addHold(key, ZERO, WEDNESDAY)
    rollWindows(key, NEW_YEAR)
    addHold(key, money(5), NEW_YEAR)
    const dayLeft = (wallMs: number) => budgetLeft(key, budgets({ day: money(100) }), wallMs)
    endHold(key, money(10), WEDNESDAY, money(30))
    growHold(key, money(2), WEDNESDAY)
    expect<unknown>(dayLeft(WEDNESDAY)).toEqual({ name: 'day', left: 68, endsAtMs: at('2026-12-31T00:00:00Z') })
    expect<unknown>(dayLeft(NEW_YEAR)).toMatchObject({ left: 95 })
    endHold(key, money(2), WEDNESDAY, ZERO)
    expect(key.over).toEqual([])
    endHold(key, money(5), NEW_YEAR, ZERO)
    rollWindows(key, MONDAY)
    expect(key.over).toEqual([])
  })

  test('of those that are over, each has its own name and time', () => {
    const key = createLiveKey('key_1', WEDNESDAY)
    addHold(key, money(10), WEDNESDAY)
    rollWindows(key, THURSDAY)
    addHold(key, money(5), THURSDAY)
    rollWindows(key, NEW_YEAR)
    const left = (set: Partial<KeyBudgets>, wallMs: number) => Number(budgetLeft(key, budgets(set), wallMs)?.left)
    const all = () => [
      left({ day: money(100) }, WEDNESDAY),
      left({ day: money(100) }, THURSDAY),
      left({ month: money(100) }, WEDNESDAY),
      left({ month: money(100) }, NEW_YEAR),
    ]
    expect(all()).toEqual([90, 95, 85, 100])
    growHold(key, money(1), WEDNESDAY)
    expect(all()).toEqual([89, 95, 84, 100])
  })

  test('sums stay at the largest number that can be counted', () => {
    const key = createLiveKey('key_1', WEDNESDAY)
    const most = money(Number.MAX_SAFE_INTEGER)
    for (let time = 0; time < 2; time++) {
      addHold(key, ZERO, WEDNESDAY)
      endHold(key, ZERO, WEDNESDAY, most)
    }
    expect(key.windows.total.spent).toBe(most)
    expect(budgetLeft(key, budgets({ total: most }), WEDNESDAY)?.left).toBe(ZERO)
  })
})

describe('what is left', () => {
  const key = createLiveKey('key_1', WEDNESDAY)
  addHold(key, money(10), WEDNESDAY)
  addHold(key, money(30), WEDNESDAY)
  endHold(key, money(10), WEDNESDAY, money(5)) // 5 spent, 30 held

  test('of the tightest budget, with the end of its window', () => {
    expect<unknown>(budgetLeft(key, budgets({ day: money(100), week: money(60) }), WEDNESDAY)).toEqual({
      name: 'week',
      left: 25,
      endsAtMs: MONDAY,
    })
    expect<unknown>(budgetLeft(key, budgets({ total: money(50), month: money(51) }), WEDNESDAY)).toEqual({
      name: 'total',
      left: 15,
      endsAtMs: null,
    })
    expect(budgetLeft(key, budgets({ day: money(60), month: money(60) }), WEDNESDAY)).toMatchObject({ name: 'month' })
  })

  test('nothing less than nothing, and null without budgets', () => {
    expect<unknown>(budgetLeft(key, budgets({ day: money(1) }), WEDNESDAY)).toMatchObject({ name: 'day', left: 0 })
    expect(budgetLeft(key, budgets({}), WEDNESDAY)).toBeNull()
  })
})

test('its settlements are awaited as often as there are some', async () => {
  const key = createLiveKey('key_1', WEDNESDAY)
  for (let time = 0; time < 2; time++) {
    key.unacknowledged = 2
    let isOver = false
    const waiting = whenAcknowledged(key).then(() => {
      isOver = true
    })
    acknowledge(key)
    await settleMicrotasks()
    expect(isOver).toBe(false)
    acknowledge(key)
    await waiting
  }
})

test('a settlement in the tick in which the last is told is awaited as well', async () => {
  const key = createLiveKey('key_1', WEDNESDAY)
  key.unacknowledged = 1
  let isOver = false
  const waiting = whenAcknowledged(key).then(() => {
    isOver = true
  })
  acknowledge(key)
  key.unacknowledged += 1
  await settleMicrotasks()
  expect(isOver).toBe(false)
  acknowledge(key)
  await waiting
})

describe('what the disk says of the time before', () => {
  const read = { total: money(1000), day: money(100), week: money(300), month: money(900) }

  test('is added, less what was known then and is on disk too', () => {
    const key = createLiveKey('key_1', WEDNESDAY)
    addHold(key, ZERO, WEDNESDAY)
    endHold(key, ZERO, WEDNESDAY, money(7))
    const known = knownSpend(key)
    addHold(key, ZERO, WEDNESDAY)
    endHold(key, ZERO, WEDNESDAY, money(1)) // after the disk was asked
    takeSpend(key, read, known)
    expect(key.isOpen).toBe(true)
    expect(sums(key)).toEqual({ total: '1001+0', day: '101+0', week: '301+0', month: '901+0' })
  })

  test('is nothing of a window that has begun since', () => {
    const key = createLiveKey('key_1', WEDNESDAY)
    const known = knownSpend(key)
    rollWindows(key, NEW_YEAR)
    takeSpend(key, read, known)
    expect(sums(key)).toEqual({ total: '1000+0', day: '0+0', week: '300+0', month: '0+0' })
  })
})
