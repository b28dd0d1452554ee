import { expect, spyOn, test } from 'bun:test'
import { createExpiryClock, systemClock } from '../../../src/lib/index.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const START_MS = 1_800_000_000_000

function watching() {
  const clock = fakeClock(START_MS)
  const steps: number[] = []
  const expiries = createExpiryClock(clock, (byMs) => steps.push(byMs))
  return { clock, steps, expiries }
}

test('is the wall clock, through small corrections too', () => {
  const { clock, steps, expiries } = watching()
  clock.advance(1000)
  expect(expiries.nowMs()).toBe(START_MS + 1000)
  clock.stepWall(5000)
  expect(expiries.nowMs()).toBe(START_MS + 6000)
  clock.stepWall(5000)
  expect(expiries.nowMs()).toBe(START_MS + 11_000)
  expect(steps).toEqual([])
})

for (const byMs of [86_400_000, -86_400_000]) {
  test(`a step of ${byMs} ms is told once, and counts a minute later`, () => {
    const { clock, steps, expiries } = watching()
    clock.stepWall(byMs)
    expect(expiries.nowMs()).toBe(START_MS)
    clock.advance(59_999)
    expect(expiries.nowMs()).toBe(START_MS + 59_999)
    expect(steps).toEqual([byMs])
    clock.advance(1)
    expect(expiries.nowMs()).toBe(START_MS + 60_000 + byMs)
    clock.advance(1000)
    expect(expiries.nowMs()).toBe(START_MS + 61_000 + byMs)
    expect(steps).toEqual([byMs])
  })
}

test('a step that is taken back within the minute changes nothing', () => {
  const { clock, steps, expiries } = watching()
  clock.stepWall(3_600_000)
  expiries.nowMs()
  clock.advance(30_000)
  clock.stepWall(-3_600_000)
  expect(expiries.nowMs()).toBe(START_MS + 30_000)
  clock.advance(60_000)
  expect(expiries.nowMs()).toBe(START_MS + 90_000)
  expect(steps).toEqual([3_600_000])
})

test('nor with the machine’s own clock, whose wall time does not come back', () => {
  const machine = spyOn(Date, 'now').mockReturnValue(START_MS)
  try {
    let nowUs = 0
    const clock = { ...systemClock(), monotonicUs: () => nowUs }
    const expiries = createExpiryClock(clock, () => {})
    machine.mockReturnValue(START_MS + 3_600_000)
    expect([expiries.nowMs(), clock.wallMs()]).toEqual([START_MS, START_MS + 3_600_000])
    for (const passedMs of [30_000, 90_000, 180_000]) {
      nowUs = passedMs * 1000
      machine.mockReturnValue(START_MS + passedMs)
      expect([expiries.nowMs(), clock.wallMs()]).toEqual([START_MS + passedMs, START_MS + 3_600_000])
    }
  } finally {
    machine.mockRestore()
  }
})
