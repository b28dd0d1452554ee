import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ObservedSlice, StickyRow } from '../../../src/domain/index.ts'
import { LearnedQueue } from '../../../src/store/sqlite/learned-queue.ts'
import { type StoreKit, storeKit, until } from './store-kit.ts'

const NOW_MS = 1_800_000_000_000
const slice = (offer: string, expiresAtMs = NOW_MS + 1000): ObservedSlice => ({
  offer,
  lengthMs: 60_000,
  startsAtMs: NOW_MS,
  ended: 3,
  failed: 1,
  firstContent: '80:2 91:1',
  throughput: '',
  expiresAtMs,
})
const row = (session: string, usedAtMs = NOW_MS): StickyRow => ({
  accountId: 'acc_1',
  session,
  model: 'acme/m',
  backend: 'north',
  cachedTokens: 1200,
  usedAtMs,
})
const NOTHING = { forgotten: [], observed: [], sticky: [], expired: null }

let kit: StoreKit
beforeEach(async () => {
  kit = await storeKit()
})
afterEach(() => kit.end())

describe('what was learned', () => {
  test('is there after a restart', async () => {
    kit.store.writer.learned({ ...NOTHING, observed: [slice('north/a'), slice('south/a')], sticky: [row('one')] })
    const { reader } = await kit.reopen()
    expect(await reader.observed(NOW_MS)).toEqual([slice('north/a'), slice('south/a')])
    expect(await reader.sticky(NOW_MS - 1, 10)).toEqual([row('one')])
  })

  test('comes to the disk while it runs too; the newest of each stays', async () => {
    const { writer, reader } = kit.store
    writer.learned({ ...NOTHING, observed: [slice('north/a')], sticky: [row('one')] })
    await until(
      () => reader.sticky(0, 10),
      (rows) => rows.length === 1,
    )
    const moved = { ...row('one', NOW_MS + 5), backend: 'south', cachedTokens: 0 }
    writer.learned({ ...NOTHING, observed: [{ ...slice('north/a'), ended: 9 }], sticky: [row('one'), moved] })
    await until(
      () => reader.sticky(0, 10),
      ([first]) => first?.backend === 'south',
    )
    expect(await reader.sticky(0, 10)).toEqual([moved])
    expect(await reader.observed(0)).toEqual([{ ...slice('north/a'), ended: 9 }])
  })

  test('leaves out what has expired, and deletes it', async () => {
    const { writer } = kit.store
    const observed = [slice('old', NOW_MS), slice('new', NOW_MS + 1)]
    writer.learned({ ...NOTHING, observed, sticky: [row('old', NOW_MS - 1), row('new')] })
    let store = await kit.reopen()
    expect((await store.reader.observed(NOW_MS)).map(({ offer }) => offer)).toEqual(['new'])
    expect((await store.reader.sticky(NOW_MS - 1, 10)).map(({ session }) => session)).toEqual(['new'])
    expect(await store.reader.observed(0)).toHaveLength(2)
    store.writer.learned({ ...NOTHING, expired: { observedMs: NOW_MS, stickyMs: NOW_MS - 1 } })
    store = await kit.reopen()
    expect((await store.reader.observed(0)).map(({ offer }) => offer)).toEqual(['new'])
    expect((await store.reader.sticky(0, 10)).map(({ session }) => session)).toEqual(['new'])
  })

  test('of an offer that is another place now is forgotten; what comes after that stays', async () => {
    kit.store.writer.learned({ ...NOTHING, observed: [slice('north/a'), { ...slice('north/a'), startsAtMs: 0 }] })
    const { writer } = await kit.reopen()
    writer.learned({ ...NOTHING, observed: [{ ...slice('north/a'), startsAtMs: 60_000 }, slice('south/a')] })
    writer.learned({ ...NOTHING, forgotten: ['north/a'], observed: [{ ...slice('north/a'), ended: 1 }] })
    const { reader } = await kit.reopen()
    expect(await reader.observed(0)).toEqual([{ ...slice('north/a'), ended: 1 }, slice('south/a')])
  })

  test('of many sessions gives those that were used last, in the order of their use', async () => {
    const sticky = [3, 1, 2, 5, 4].map((at) => row(`s${at}`, NOW_MS + at))
    kit.store.writer.learned({ ...NOTHING, sticky })
    const { reader } = await kit.reopen()
    expect((await reader.sticky(0, 3)).map(({ session }) => session)).toEqual(['s3', 's4', 's5'])
  })

  test('waits while the records file takes nothing, and is written when it does', async () => {
    await kit.faults.set({ failRecords: 1 })
    kit.store.writer.learned({ ...NOTHING, sticky: [row('one')] })
    await until(
      async () => kit.log,
      (log) => log.includes('records_failed'),
    )
    const { reader } = await kit.reopen()
    expect(await reader.sticky(0, 10)).toEqual([row('one')])
  })
})

test('a records file that is none cannot be read', async () => {
  await kit.store.close()
  for (const file of ['records.db', 'records.db-wal', 'records.db-shm']) rmSync(join(kit.folder, file), { force: true })
  writeFileSync(join(kit.folder, 'records.db'), 'this is no database '.repeat(500))
  await kit.reopen()
  const failure = await kit.store.reader.observed(0).catch((error: unknown) => error)
  expect(String(failure)).toContain('cannot be read')
})

test('what waits is bounded: the newest of each, and of sessions those that came last', () => {
  const queue = new LearnedQueue()
  for (let at = 0; at < 20_005; at++) queue.add({ ...NOTHING, sticky: [row(`s${at}`)] })
  queue.add({ ...NOTHING, observed: [slice('a'), slice('b', NOW_MS)] })
  queue.add({ ...NOTHING, observed: [{ ...slice('a'), ended: 4 }], expired: { observedMs: NOW_MS, stickyMs: 0 } })
  const { observed, sticky, expired } = queue.all()
  expect(observed).toEqual([{ ...slice('a'), ended: 4 }])
  expect({ count: sticky.length, first: sticky[0]?.session }).toEqual({ count: 20_000, first: 's5' })
  expect(expired).toEqual({ observedMs: NOW_MS, stickyMs: 0 })
  queue.clear()
  expect(queue.isEmpty).toBe(true)
})
