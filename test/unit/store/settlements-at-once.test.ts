import { expect, test } from 'bun:test'
import { SettlementsAtOnce } from '../../../src/store/sqlite/settlements-at-once.ts'

test('a round follows fewer settlements after one with a long step, and more again after short ones', () => {
  const atOnce = new SettlementsAtOnce()
  const after = (...stepsUs: readonly number[]): number => {
    for (const us of stepsUs) atOnce.stepTook(us)
    atOnce.roundEnded()
    return atOnce.count
  }
  expect(atOnce.count).toBe(1000)
  expect(after(500, 500)).toBe(1000)
  expect(after(500, 26_000, 500)).toBe(500)
  expect(after(10_000, 20_000)).toBe(500)
  expect([after(90_000), after(90_000), after(90_000)]).toEqual([250, 125, 125])
  expect([after(1000), after(1000), after(1000), after(1000)]).toEqual([250, 500, 1000, 1000])
})
