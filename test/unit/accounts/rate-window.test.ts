import { expect, test } from 'bun:test'
import { createRateWindow } from '../../../src/accounts/rate-window.ts'
import type { WindowPart } from '../../../src/store/index.ts'

const T = 1_800_000_000_000

function windowOf(stored: readonly WindowPart[] = []) {
  const changed: WindowPart[] = []
  const window = createRateWindow('key_1', stored, (part) => changed.push({ ...part }))
  return { window, changed }
}

test('what was counted leaves a minute after it, not before', () => {
  const { window } = windowOf()
  window.add(T, 1, 10)
  window.add(T + 5000, 1, 20)
  window.roll(T + 59_999)
  expect({ requests: window.requests, tokens: window.tokens }).toEqual({ requests: 2, tokens: 30 })
  window.roll(T + 60_000)
  expect({ requests: window.requests, tokens: window.tokens }).toEqual({ requests: 1, tokens: 20 })
  window.roll(T + 65_000)
  expect({ requests: window.requests, tokens: window.tokens }).toEqual({ requests: 0, tokens: 0 })
})

test('a part is about a second: all of it stays until its last moment is a minute ago', () => {
  const { window, changed } = windowOf()
  window.add(T, 1, 0)
  window.add(T + 999, 1, 0)
  window.add(T + 1000, 1, 0)
  expect(changed.map(({ firstAtMs, lastAtMs, requests }) => [firstAtMs - T, lastAtMs - T, requests])).toEqual([
    [0, 0, 1],
    [0, 999, 2],
    [1000, 1000, 1],
  ])
  window.roll(T + 60_998)
  expect(window.requests).toBe(3)
  window.roll(T + 60_999)
  expect(window.requests).toBe(1)
})

test('how long until there is room again, and until nothing is used', () => {
  const { window } = windowOf()
  expect(window.resetMs(T)).toBe(0)
  window.add(T, 2, 100)
  window.add(T + 10_000, 3, 0)
  window.add(T + 20_000, 1, 50)
  const now = T + 20_000
  expect(window.waitMs('requests', 1, now)).toBe(40_000)
  expect(window.waitMs('requests', 2, now)).toBe(40_000)
  expect(window.waitMs('requests', 3, now)).toBe(50_000)
  expect(window.waitMs('requests', 6, now)).toBe(60_000)
  expect(window.waitMs('tokens', 101, now)).toBe(60_000)
  expect(window.resetMs(now)).toBe(60_000)
})

test('a correction is of the time it corrects, and nothing when that is over', () => {
  const { window, changed } = windowOf()
  const part = window.add(T, 0, 100)
  window.correct(part, -60)
  expect(window.tokens).toBe(40)
  expect(changed.at(-1)).toMatchObject({ firstAtMs: T, tokens: 40 })
  window.correct(part, 30)
  expect(window.tokens).toBe(70)
  window.roll(T + 60_000)
  window.correct(part, -70)
  expect(window.tokens).toBe(0)
  expect(changed).toHaveLength(3)
})

test('goes on with what was stored', () => {
  const stored = { keyId: 'key_1', firstAtMs: T, lastAtMs: T + 500, requests: 4, tokens: 9 }
  const { window, changed } = windowOf([stored])
  expect({ requests: window.requests, tokens: window.tokens }).toEqual({ requests: 4, tokens: 9 })
  window.add(T + 900, 1, 1)
  expect(changed).toEqual([expect.objectContaining({ firstAtMs: T, lastAtMs: T + 900, requests: 5, tokens: 10 })])
  expect(stored.requests).toBe(4)
})
