import { describe, expect, test } from 'bun:test'
import { type Admission, createLimits, type LimitRefusal } from '../../../src/accounts/limits.ts'
import type { KeyLimits } from '../../../src/domain/index.ts'
import { fakeClock, settleMicrotasks } from '../../support/fake-clock.ts'
import { createStoreDouble } from '../../support/store-double.ts'

const NONE: KeyLimits = { requestsPerMinute: null, tokensPerMinute: null, concurrency: null }

async function world(limits: Partial<KeyLimits> = {}, sizeMax = 100) {
  const double = createStoreDouble()
  const clock = fakeClock()
  const make = () => createLimits({ reads: double.reads, writer: double.writer, clock, sizeMax })
  const room = make()
  await room.open('key_1')
  const admit = (changed: Partial<KeyLimits> = {}) => room.admit('key_1', { ...NONE, ...limits, ...changed })
  return { double, clock, make, room, admit }
}

function admitted(end: Admission | LimitRefusal): Admission {
  if (end.kind !== 'admitted') throw new Error(`refused by ${end.limit}`)
  return end
}

describe('requests per minute', () => {
  test('come back after a minute, though the machine’s clock is set back meanwhile and stands still', async () => {
    const double = createStoreDouble()
    const clock = fakeClock()
    let latestMs = 0
    const wallMs = (): number => {
      latestMs = Math.max(latestMs, clock.wallMs())
      return latestMs
    }
    const room = createLimits({ ...double, clock: { ...clock, wallMs } })
    await room.open('key_1')
    const limits = { ...NONE, requestsPerMinute: 1 }
    const first = admitted(room.admit('key_1', limits))
    clock.stepWall(-3_600_000)
    clock.advance(30_000)
    expect(room.admit('key_1', limits)).toMatchObject({ kind: 'refused', retryAfterMs: 30_000 })
    expect(first.rates().requests).toMatchObject({ resetMs: 30_000, resetAtMs: wallMs() + 30_000 })
    clock.advance(30_000)
    expect(room.admit('key_1', limits).kind).toBe('admitted')
  })

  test('do not come back before, though it is set ahead', async () => {
    const { clock, admit } = await world({ requestsPerMinute: 1 })
    admitted(admit()).end()
    clock.stepWall(3_600_000)
    expect(admit()).toMatchObject({ kind: 'refused', retryAfterMs: 60_000 })
  })

  test('as many as the limit, whenever they end; then none until the first is a minute ago', async () => {
    const { clock, admit } = await world({ requestsPerMinute: 2 })
    admitted(admit()).end()
    clock.advance(20_000)
    admitted(admit()).end()
    expect(admit()).toMatchObject({ kind: 'refused', limit: 'requestsPerMinute', max: 2, retryAfterMs: 40_000 })
    clock.advance(39_999)
    expect(admit()).toMatchObject({ kind: 'refused', retryAfterMs: 1 })
    clock.advance(1)
    admitted(admit()).end()
    expect(admit()).toMatchObject({ kind: 'refused', retryAfterMs: 20_000 })
  })

  test('what is refused is not counted', async () => {
    const { clock, admit } = await world({ requestsPerMinute: 1 })
    admitted(admit()).end()
    for (let at = 0; at < 50; at++) expect(admit().kind).toBe('refused')
    clock.advance(60_000)
    expect(admit().kind).toBe('admitted')
  })

  test('says where the key stands', async () => {
    const { clock, admit } = await world({ requestsPerMinute: 3 })
    const one = admitted(admit())
    expect(one.rates()).toEqual({
      requests: { limit: 3, remaining: 2, resetMs: 60_000, resetAtMs: clock.wallMs() + 60_000 },
      tokens: null,
    })
    clock.advance(60_000)
    expect(one.rates().requests).toMatchObject({ remaining: 3, resetMs: 0 })
  })

  test('a limit that was lowered binds at once, with what was let in under the old one', async () => {
    const { admit } = await world({ requestsPerMinute: 10 })
    for (let at = 0; at < 5; at++) admitted(admit()).end()
    expect(admit({ requestsPerMinute: 3 })).toMatchObject({ kind: 'refused', rates: { requests: { remaining: 0 } } })
    expect(admit({ requestsPerMinute: 6 }).kind).toBe('admitted')
  })
})

describe('tokens per minute', () => {
  test('an estimate at the door, what it came to at the end', async () => {
    const { admit } = await world({ tokensPerMinute: 1000 })
    const one = admitted(admit())
    expect(one.takeTokens(600, 600)).toBeNull()
    expect(admitted(admit()).takeTokens(500, 500)).toMatchObject({
      limit: 'tokensPerMinute',
      max: 1000,
      retryAfterMs: 60_000,
      rates: { tokens: { remaining: 400 } },
    })
    one.settle(100)
    expect(one.rates().tokens).toMatchObject({ limit: 1000, remaining: 900 })
    one.settle(999) // only the first counts
    one.end()
    expect(one.rates().tokens).toMatchObject({ remaining: 900 })
    expect(admitted(admit()).takeTokens(900, 900)).toBeNull()
  })

  test('usage beyond the estimate counts too', async () => {
    const { admit } = await world({ tokensPerMinute: 1000 })
    const one = admitted(admit())
    one.takeTokens(10, 10)
    one.settle(5000)
    expect(one.rates().tokens).toMatchObject({ remaining: 0 })
    expect(admitted(admit()).takeTokens(1, 1)).toMatchObject({ kind: 'refused' })
  })

  test('without a settlement it came to nothing', async () => {
    const { admit } = await world({ tokensPerMinute: 1000 })
    const one = admitted(admit())
    one.takeTokens(700, 700)
    one.end()
    expect(one.rates().tokens).toMatchObject({ remaining: 1000 })
  })

  test('a guess never asks for more than the whole limit, but what is needed does, and is never met', async () => {
    const { admit } = await world({ tokensPerMinute: 1000 })
    const one = admitted(admit())
    expect(one.takeTokens(20, 4096)).toBeNull()
    expect(one.rates().tokens).toMatchObject({ remaining: 0 })
    one.end()
    expect(admitted(admit()).takeTokens(1001, 1001)).toMatchObject({ kind: 'refused', retryAfterMs: null })
  })
})

describe('concurrency', () => {
  test('a place comes back with the end, once', async () => {
    const { admit } = await world({ concurrency: 2 })
    const one = admitted(admit())
    const two = admitted(admit())
    expect(admit()).toMatchObject({ kind: 'refused', limit: 'concurrency', max: 2, retryAfterMs: 1000 })
    one.end()
    one.end()
    admitted(admit())
    expect(admit().kind).toBe('refused')
    two.end()
    expect(admit().kind).toBe('admitted')
  })

  test('a request that finds no place is not counted among those of the minute', async () => {
    const { admit } = await world({ concurrency: 1, requestsPerMinute: 2 })
    const one = admitted(admit())
    expect(admit()).toMatchObject({ limit: 'concurrency' })
    one.end()
    expect(admit().kind).toBe('admitted')
  })

  test('writes nothing', async () => {
    const { double, admit } = await world({ concurrency: 1 })
    admitted(admit()).end()
    await settleMicrotasks()
    expect(double.tables.windows.size).toBe(0)
  })
})

describe('a restart', () => {
  test('goes on with the minute that was', async () => {
    const { double, clock, make, admit } = await world({ requestsPerMinute: 3, tokensPerMinute: 100 })
    const one = admitted(admit())
    one.takeTokens(80, 80)
    one.settle(50)
    clock.advance(30_000)
    admitted(admit()).end()
    await settleMicrotasks()
    const after = make()
    expect(after.isOpen('key_1')).toBe(false)
    await after.open('key_1')
    expect(double.readGate.begun).toBe(2)
    const limits = { ...NONE, requestsPerMinute: 3, tokensPerMinute: 100 }
    const next = admitted(after.admit('key_1', limits))
    expect(next.rates()).toMatchObject({ requests: { remaining: 0 }, tokens: { remaining: 50 } })
    expect(after.admit('key_1', limits)).toMatchObject({ kind: 'refused', retryAfterMs: 30_000 })
  })

  test('under a clock that was set back counts for a minute, no longer', async () => {
    const { double, make, clock } = await world()
    const firstAtMs = clock.wallMs() + 3_600_000
    const part = { keyId: 'key_2', firstAtMs, lastAtMs: firstAtMs, requests: 1, tokens: 0 }
    double.tables.windows.set('key_2', part)
    const room = make()
    await room.open('key_2')
    const limits = { ...NONE, requestsPerMinute: 1 }
    expect(room.admit('key_2', limits)).toMatchObject({ kind: 'refused', retryAfterMs: 60_000 })
    clock.advance(60_000)
    expect(room.admit('key_2', limits).kind).toBe('admitted')
  })

  test('many at once share one read, and none of them opens the window anew', async () => {
    const { double, make } = await world()
    const room = make()
    double.readGate.holdBack()
    const all = Promise.all([1, 2, 3].map(() => room.open('key_3')))
    expect(double.readGate.waiting).toEqual(['window key_3'])
    double.readGate.letGo()
    await all
    const limits = { ...NONE, requestsPerMinute: 1 }
    expect(room.admit('key_3', limits).kind).toBe('admitted')
    await room.open('key_3')
    expect(room.admit('key_3', limits).kind).toBe('refused')
  })
})

test('a key makes room for others only when a minute has passed and nothing of it is in progress', async () => {
  const { room, clock, admit } = await world({ requestsPerMinute: 5, concurrency: 1 }, 2)
  const one = admitted(admit())
  clock.advance(120_000)
  for (let at = 2; at < 20; at++) await room.open(`key_${at}`)
  expect(room.isOpen('key_1')).toBe(true)
  one.end()
  for (let at = 20; at < 40; at++) await room.open(`key_${at}`)
  expect(room.isOpen('key_1')).toBe(false)
  await room.open('key_1')
  expect(admit().kind).toBe('admitted')
})

test('asked for a key that is not open is a bug', async () => {
  const { room } = await world()
  expect(() => room.admit('key_none', NONE)).toThrow('not open')
})
