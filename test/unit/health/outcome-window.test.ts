import { expect, test } from 'bun:test'
import { OutcomeWindow } from '../../../src/health/outcome-window.ts'

test('counts what ended within the window', () => {
  const window = new OutcomeWindow(60_000)
  for (let at = 0; at < 10; at++) window.add(1_800_000_000_000 + at * 5000, at % 2 === 0)
  expect(window.read(1_800_000_000_000 + 50_000)).toEqual({ ended: 10, failed: 5 })
  expect(window.read(1_800_000_000_000 + 60_000)).toEqual({ ended: 9, failed: 4 })
  expect(window.read(1_800_000_000_000 + 80_000)).toEqual({ ended: 5, failed: 2 })
  expect(window.read(1_800_000_000_000 + 500_000)).toEqual({ ended: 0, failed: 0 })
})

test('is empty after a long silence, also when the same part comes again', () => {
  const window = new OutcomeWindow(1200)
  window.add(5, true)
  window.add(5 + 1200 * 7, false)
  expect(window.read(5 + 1200 * 7)).toEqual({ ended: 1, failed: 0 })
})
