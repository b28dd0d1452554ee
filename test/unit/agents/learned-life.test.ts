import { describe, expect, test } from 'bun:test'
import { LearnedLife } from '../../../src/agents/learned-life.ts'

const S = 1_000_000

/** What is known after closes: how long each connection had rested, and when it was closed. */
function after(...closes: readonly (readonly [restedMs: number, atS: number])[]): LearnedLife {
  const learned = new LearnedLife()
  for (const [restedMs, atS] of closes) learned.closed(restedMs, atS * S)
  return learned
}

describe('LearnedLife', () => {
  test('three closes at a similar age, less a second', () => {
    expect(after([5000, 0], [5100, 60]).lifeMs(60 * S)).toBeNull()
    expect(after([5000, 0], [5100, 60], [5050, 120]).lifeMs(120 * S)).toBe(4000)
    expect(after([5000, 0], [5000, 60], [9000, 120]).lifeMs(120 * S)).toBeNull()
    expect(after([5000, 0], [9000, 60], [5000, 120], [30_000, 180], [5400, 240]).lifeMs(240 * S)).toBe(4000)
  })

  test('within ten minutes', () => {
    expect(after([5000, 0], [5000, 300], [5000, 599]).lifeMs(599 * S)).toBe(4000)
    expect(after([5000, 0], [5000, 300], [5000, 600]).lifeMs(600 * S)).toBeNull()
  })

  test('closes of several at once tell of a restart, and count for nothing', () => {
    expect(after([5000, 0], [5000, 0.1], [5000, 0.2], [5000, 60], [5000, 120]).lifeMs(120 * S)).toBeNull()
    expect(after([5000, 0], [5000, 0.1], [5000, 60], [5000, 120], [5000, 180]).lifeMs(180 * S)).toBe(4000)
  })

  test('never less than a second, and nothing is learned of closes before that', () => {
    expect(after([1200, 0], [1200, 60], [1200, 120]).lifeMs(120 * S)).toBe(1000)
    expect(after([900, 0], [900, 60], [900, 120]).lifeMs(120 * S)).toBeNull()
  })

  test('grows back by half every ten minutes, until the configuration decides alone', () => {
    const learned = after([5000, 0], [5000, 60], [5000, 120])
    expect([0, 599, 600, 1200].map((later) => learned.lifeMs((120 + later) * S))).toEqual([4000, 4000, 6000, 9000])
    expect(learned.lifeMs((120 + 13 * 600) * S)).toBeNull()
  })
})
