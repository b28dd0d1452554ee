import { describe, expect, test } from 'bun:test'
import { NO_PLACES, StickySessions } from '../../../src/health/sticky-sessions.ts'

const LIFE_MS = 1000
const NAME = { accountId: 'acc_1', session: 's', model: 'm' }

function sessions({ sessionsMax = 10, kept = [] as ConstructorParameters<typeof StickySessions>[0]['kept'] } = {}) {
  const time = { nowMs: 5000, lifeMs: LIFE_MS }
  const all = new StickySessions({ kept, nowMs: () => time.nowMs, lifeMs: () => time.lifeMs, sessionsMax })
  return { all, time, backend: () => all.of('acc_1', 's').get('m')?.backend }
}

describe('a session', () => {
  test('stays where it was served', () => {
    const { all, backend } = sessions()
    expect(all.of('acc_1', 's')).toBe(NO_PLACES)
    all.served(NAME, 'north')
    expect(backend()).toBe('north')
    all.served(NAME, 'south')
    expect(backend()).toBe('south')
    all.served(NAME, 'north', true)
    expect(backend()).toBe('south')
  })

  test('is of one account, and has a place for each model', () => {
    const { all } = sessions()
    all.served(NAME, 'north')
    all.served({ ...NAME, model: 'other' }, 'south')
    all.served({ ...NAME, accountId: 'acc_2' }, 'west')
    expect([...all.of('acc_1', 's')].map(([model, { backend }]) => [model, backend])).toEqual([
      ['m', 'north'],
      ['other', 'south'],
    ])
    expect(all.of('acc_2', 's').get('m')?.backend).toBe('west')
    expect(all.of('acc_3', 's').size).toBe(0)
  })

  test('lives on with each use, and no longer', () => {
    const { all, time, backend } = sessions()
    all.served(NAME, 'north')
    for (let use = 0; use < 5; use++) {
      time.nowMs += LIFE_MS - 1
      expect(backend()).toBe('north')
      all.served(NAME, 'north')
    }
    time.nowMs += LIFE_MS
    expect(backend()).toBeUndefined()
    all.served(NAME, 'south', true)
    expect(backend()).toBe('south')
    time.lifeMs = 0
    expect(backend()).toBeUndefined()
    all.served({ ...NAME, session: 'never' }, 'south')
    expect(all.size).toBe(1)
  })

  test('is one moment for who has taken it', () => {
    const { all } = sessions()
    all.served(NAME, 'north')
    const before = all.of('acc_1', 's')
    all.served(NAME, 'south')
    expect(before.get('m')?.backend).toBe('north')
  })

  test('knows what its provider keeps of its prompt, of the backend it stays with alone', () => {
    const { all } = sessions()
    all.cached(NAME, 'north', 100)
    all.served(NAME, 'north')
    all.cached(NAME, 'south', 700)
    expect(all.of('acc_1', 's').get('m')).toEqual({ backend: 'north', cachedTokens: 0 })
    all.cached(NAME, 'north', 700)
    all.served(NAME, 'north')
    expect(all.of('acc_1', 's').get('m')).toEqual({ backend: 'north', cachedTokens: 700 })
    all.served(NAME, 'south')
    expect(all.of('acc_1', 's').get('m')).toEqual({ backend: 'south', cachedTokens: 0 })
  })
})

test('who was used longest ago makes room', () => {
  const { all } = sessions({ sessionsMax: 2 })
  for (const session of ['a', 'b', 'a', 'c']) all.served({ ...NAME, session }, 'north')
  expect(['a', 'b', 'c'].filter((session) => all.of('acc_1', session).size > 0)).toEqual(['a', 'c'])
  expect(all.takeChanged(10).map(({ session }) => session)).toEqual(['a', 'c'])
})

test('what is over is let go of, the rest stays', () => {
  const { all, time } = sessions()
  all.served(NAME, 'north')
  time.nowMs += 600
  all.served({ ...NAME, session: 'later' }, 'north')
  time.nowMs += 600
  all.prune()
  expect(all.size).toBe(1)
  expect(all.of('acc_1', 'later').size).toBe(1)
})

describe('what is brought to disk', () => {
  test('is what changed; a use soon after the last one is no change', () => {
    const { all, time } = sessions()
    all.served(NAME, 'north')
    expect(all.takeChanged(10)).toEqual([{ ...NAME, backend: 'north', cachedTokens: 0, usedAtMs: 5000 }])
    time.nowMs += 10
    all.served(NAME, 'north')
    expect(all.takeChanged(10)).toEqual([])
    time.nowMs += 50
    all.served(NAME, 'north')
    expect(all.takeChanged(10)).toMatchObject([{ usedAtMs: 5060 }])
    all.cached(NAME, 'north', 9)
    expect(all.takeChanged(10)).toMatchObject([{ cachedTokens: 9 }])
    all.served(NAME, 'south')
    expect(all.takeChanged(10)).toMatchObject([{ backend: 'south' }])
  })

  test('is taken in parts', () => {
    const { all } = sessions()
    for (const session of ['a', 'b', 'c']) all.served({ ...NAME, session }, 'north')
    expect(all.takeChanged(2)).toHaveLength(2)
    expect(all.takeChanged(2)).toHaveLength(1)
    expect(all.takeChanged(2)).toEqual([])
  })

  test('makes the same sessions again, in their order; one of the future begins now', () => {
    const first = sessions({ sessionsMax: 2 })
    for (const session of ['a', 'b']) first.all.served({ ...NAME, session }, 'north')
    first.all.served({ ...NAME, session: 'a', model: 'other' }, 'south')
    const kept = first.all.takeChanged(10).map((row) => ({ ...row, usedAtMs: row.usedAtMs + 1_000_000 }))
    const { all, time } = sessions({ kept, sessionsMax: 2 })
    expect(all.of('acc_1', 'a').get('other')?.backend).toBe('south')
    expect(all.takeChanged(10)).toEqual([])
    time.nowMs += LIFE_MS
    expect(all.of('acc_1', 'a').size).toBe(0)
  })
})

test('one of whom nothing may be kept stays in memory alone', () => {
  const { all, backend } = sessions()
  const name = { ...NAME, isUnwritten: true }
  all.served(name, 'north')
  all.cached(name, 'north', 100)
  expect(backend()).toBe('north')
  expect(all.takeChanged(10)).toEqual([])
  all.served({ ...NAME, session: 'other' }, 'north')
  expect(all.takeChanged(10)).toMatchObject([{ session: 'other' }])
})
