import { expect, test } from 'bun:test'
import { type BackOffWish, backOff } from '../../../src/health/back-off.ts'

const MAX = { cooldownMaxMs: 600_000 }
const next = (wish: Partial<BackOffWish>, fraction = 0) =>
  backOff({ previousMs: null, firstMs: 15_000, lastMs: 600_000, namedMs: null, ...wish }, MAX, {
    fraction: () => fraction,
  })

test('begins with the first, doubles, and stops at the longest', () => {
  const waits: number[] = []
  for (let previousMs: number | null = null; waits.length < 8; ) {
    const { backoffMs, waitMs, source } = next({ previousMs })
    expect(source).toBe('back_off')
    waits.push(waitMs)
    previousMs = backoffMs
  }
  expect(waits).toEqual([15_000, 30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000])
})

test('chance makes a wait up to a fifth shorter, and never longer; what the next doubles is not touched', () => {
  expect(next({}, 0.999)).toMatchObject({ backoffMs: 15_000, waitMs: 12_003 })
  expect(next({}, 0.5).waitMs).toBe(13_500)
})

test('what the provider names is a floor, up to the longest', () => {
  expect(next({ namedMs: 500 })).toEqual({ backoffMs: 500, waitMs: 500, source: 'retry_after' })
  expect(next({ namedMs: 20_000 }, 0.9)).toMatchObject({ waitMs: 20_000, source: 'retry_after' })
  expect(next({ namedMs: 3_600_000 })).toEqual({ backoffMs: 600_000, waitMs: 600_000, source: 'retry_after' })
  expect(next({ previousMs: 500, namedMs: 500 })).toEqual({ backoffMs: 1000, waitMs: 1000, source: 'back_off' })
  expect(next({ previousMs: 500, namedMs: 5000 })).toMatchObject({ waitMs: 5000, source: 'retry_after' })
  expect(next({ namedMs: 0 })).toMatchObject({ waitMs: 15_000, source: 'back_off' })
})

test('doubles only up to its own last, and does not fall below what it was', () => {
  expect(next({ previousMs: 10_000, lastMs: 15_000 }).backoffMs).toBe(15_000)
  expect(next({ previousMs: 60_000, lastMs: 15_000 }).backoffMs).toBe(60_000)
})
