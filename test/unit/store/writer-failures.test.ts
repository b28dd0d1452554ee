import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { money } from '../../../src/domain/index.ts'
import {
  balanceOf,
  codeOf,
  fundedAccount,
  holdOf,
  OFFER,
  recordOf,
  type StoreKit,
  settled,
  storeKit,
  topUp,
  until,
} from './store-kit.ts'

let kit: StoreKit
beforeEach(async () => {
  kit = await storeKit()
  await fundedAccount(kit.store)
})
afterEach(() => kit.end())

const PROBE_MS = 1000

/** Makes the next commit fail, and waits for it. */
async function failOneCommit(): Promise<void> {
  await kit.faults.set({ failCommits: 1 })
  expect(await codeOf(kit.store.writer.hold(holdOf('req_failed')))).toBe('storage_unavailable')
}

describe('a failed commit', () => {
  test('rejects holds and commands, keeps settlements, and resumes when a probe passes', async () => {
    const { writer, reader } = kit.store
    await writer.hold(holdOf('req_1'))
    await kit.faults.set({ failCommits: 1 })
    const hold = codeOf(writer.hold(holdOf('req_2')))
    const command = codeOf(writer.enter(topUp(5)))
    const ended = writer.settle(settled('req_1'))
    expect([await hold, await command]).toEqual(['storage_unavailable', 'storage_unavailable'])
    expect(writer.accepting()).toBe(false)
    expect(writer.stats()).toMatchObject({ failedCommits: 1, queued: 1 })
    expect(await codeOf(writer.hold(holdOf('req_3')))).toBe('storage_unavailable')
    expect(await codeOf(writer.enter(topUp(5)))).toBe('storage_unavailable')
    expect(await balanceOf(kit.store)).toBe(1_000_000)

    const later = writer.settle(settled('req_3', 50)) // the hold of req_3 never reached the disk
    kit.clock.advance(PROBE_MS)
    await Promise.all([ended, later])
    expect(writer.accepting()).toBe(true)
    expect(await balanceOf(kit.store)).toBe(1_000_000 - 350)
    expect(await reader.holds(null)).toEqual([])
    expect(await reader.verify()).toMatchObject({ clean: true, settlements: 2 })
    expect(kit.log).toEqual(['commit_failed', 'ledger_resumed'])
  })

  test('that fails again is probed again, once a second, and the order of settlements stays', async () => {
    const { writer, reader } = kit.store
    await kit.faults.set({ failCommits: 3 })
    expect(await codeOf(writer.enter(topUp(1)))).toBe('storage_unavailable')
    const ended = ['req_1', 'req_2'].map((id) => writer.settle(settled(id)))
    for (let failures = 1; failures < 3; failures++) {
      expect(writer.stats().failedCommits).toBe(failures)
      kit.clock.advance(PROBE_MS)
      await until(
        async () => writer.stats().failedCommits,
        (failed) => failed === failures + 1,
      )
      ended.push(writer.settle(settled(`req_later_${failures}`)))
    }
    expect(writer.accepting()).toBe(false)
    kit.clock.advance(PROBE_MS)
    await Promise.all(ended)
    const ids = (await reader.settlements('acc_1', { limit: 10, after: null })).map(({ requestId }) => requestId)
    expect(ids.reverse()).toEqual(['req_1', 'req_2', 'req_later_1', 'req_later_2'])
  })

  test('sends no probe before its second is over', async () => {
    await failOneCommit()
    const { batches } = kit.store.writer.stats()
    kit.clock.advance(PROBE_MS - 1)
    expect(kit.store.writer.stats().batches).toBe(batches)
    kit.clock.advance(1)
    expect(kit.store.writer.stats().batches).toBe(batches + 1)
  })

  test('is not over for a batch that holds records alone', async () => {
    const { writer } = kit.store
    await kit.faults.set({ failCommits: 2 })
    expect(await codeOf(writer.hold(holdOf('req_failed')))).toBe('storage_unavailable')
    writer.record(recordOf('req_failed'))
    const failedTwice = async (): Promise<boolean> => writer.stats().failedCommits === 2
    kit.clock.advance(PROBE_MS)
    await until(failedTwice, (isSo) => isSo)
    expect(writer.accepting()).toBe(false)
    kit.clock.advance(PROBE_MS)
    await until(
      async () => writer.accepting(),
      (isSo) => isSo,
    )
  })

  test('keeps the steps of holds that are on disk, and takes more of them meanwhile', async () => {
    const { writer, reader } = kit.store
    const ids = ['req_1', 'req_2', 'req_3']
    await Promise.all(ids.map((id) => writer.hold(holdOf(id, 100))))
    const grow = (id: string, amount: number) =>
      writer.checkpoint(id, { offer: OFFER.offer, deliveredUnits: 1, amount: money(amount) })
    grow('req_1', 200)
    grow('req_2', 200)
    await failOneCommit()
    grow('req_2', 300)
    grow('req_3', 300)
    expect((await reader.holds('acc_1')).map(({ amount }) => amount)).toEqual([money(100), money(100), money(100)])
    kit.clock.advance(PROBE_MS)
    await until(
      async () => writer.accepting(),
      (isSo) => isSo,
    )
    expect((await reader.holds('acc_1')).map(({ amount }) => amount)).toEqual([money(200), money(300), money(300)])
  })

  test('takes the hold of a request with its settlement: the settlement is still written', async () => {
    const { writer } = kit.store
    await kit.faults.set({ failCommits: 1 })
    const hold = codeOf(writer.hold(holdOf('req_1')))
    const ended = writer.settle(settled('req_1'))
    expect(await hold).toBe('storage_unavailable')
    kit.clock.advance(PROBE_MS)
    await ended
    expect(await balanceOf(kit.store)).toBe(999_700)
  })

  test('takes a settlement that stands for its hold with it: nothing is written later, nothing charged', async () => {
    const { writer, reader } = kit.store
    await kit.faults.set({ failCommits: 1 })
    const hold = codeOf(writer.hold(holdOf('req_1'), 5))
    const waiting = codeOf(writer.hold(holdOf('req_2'), 5))
    expect(writer.settleWithHold(settled('req_1'))).toBe(true)
    expect([await hold, await waiting]).toEqual(['storage_unavailable', 'storage_unavailable'])
    expect(writer.settleWithHold(settled('req_2'))).toBe(false)
    kit.clock.advance(PROBE_MS)
    await writer.settle(settled('req_3', 50)) // what the probe takes with it
    expect(await balanceOf(kit.store)).toBe(999_950)
    expect((await reader.settlements('acc_1', { limit: 10, after: null })).map(({ requestId }) => requestId)).toEqual([
      'req_3',
    ])
  })

  test('keeps records, which arrive with the settlements', async () => {
    const { writer, reader } = kit.store
    await kit.faults.set({ failCommits: 1 })
    writer.record(recordOf('req_1'))
    const ended = writer.settle(settled('req_1'))
    await until(
      async () => writer.accepting(),
      (accepting) => !accepting,
    )
    kit.clock.advance(PROBE_MS)
    await ended
    const record = await until(
      () => reader.record('req_1'),
      (found) => found !== null,
    )
    expect(record?.settlement?.charged as number).toBe(300)
  })

  test('at close is tried once more', async () => {
    await kit.faults.set({ failCommits: 1 })
    const ended = kit.store.writer.settle(settled('req_1'))
    await kit.store.close()
    await ended
    expect(await balanceOf(await kit.reopen())).toBe(999_700)
  })

  test('that never succeeds does not keep the store from closing; recovery ends the hold', async () => {
    await kit.store.writer.hold(holdOf('req_1'))
    await kit.faults.set({ failCommits: 100 })
    kit.store.writer.settle(settled('req_1'))
    await kit.store.close()
    expect(kit.log).toContain('settlements_unwritten')
    const again = await kit.reopen()
    expect(again.recovery).toEqual({ epoch: 2, settled: 0, voided: 1 })
    expect(await balanceOf(again)).toBe(1_000_000)
  })
})

describe('a commit in doubt', () => {
  test('that had reached the disk is a success, entries too', async () => {
    const { writer, reader } = kit.store
    await kit.faults.set({ failCommits: 1, commitCode: 'SQLITE_IOERR_WRITE', failAfterCommit: true })
    const [entry] = await Promise.all([
      writer.enter(topUp(5)),
      writer.settle(settled('req_1')),
      writer.hold(holdOf('req_2')),
    ])
    expect(entry.balanceAfter as number).toBe(1_000_000 - 300 + 5)
    expect(writer.stats().failedCommits).toBe(0)
    expect(await reader.verify()).toMatchObject({ clean: true, entries: 2, settlements: 1, openHolds: 1 })
    await writer.settle(settled('req_2'))
    expect(await balanceOf(kit.store)).toBe(999_405)
  })

  test('that had not is a failure, and the reopened file goes on', async () => {
    const { writer } = kit.store
    await kit.faults.set({ failCommits: 1, commitCode: 'SQLITE_IOERR_WRITE' })
    const ended = writer.settle(settled('req_1'))
    expect(await codeOf(writer.enter(topUp(5)))).toBe('storage_unavailable')
    kit.clock.advance(PROBE_MS)
    await ended
    expect(await balanceOf(kit.store)).toBe(999_700)
  })
})

describe('fatal', () => {
  for (const commitCode of ['SQLITE_IOERR_FSYNC', 'SQLITE_CORRUPT', 'SQLITE_READONLY_DBMOVED']) {
    test(`${commitCode}: told once, nothing is taken any more`, async () => {
      const { writer } = kit.store
      await kit.faults.set({ failCommits: 1, commitCode })
      const hold = codeOf(writer.hold(holdOf('req_1')))
      expect(await hold).toBe('storage_unavailable')
      expect(kit.fatal).toHaveLength(1)
      expect(kit.fatal[0]?.message).toContain(commitCode)
      expect(writer.accepting()).toBe(false)
      kit.clock.advance(10 * PROBE_MS)
      expect(await codeOf(writer.enter(topUp(1)))).toBe('storage_unavailable')
      await kit.store.close()
      expect(kit.fatal).toHaveLength(1)
      expect((await kit.reopen()).recovery).toMatchObject({ epoch: 2, settled: 0, voided: 0 })
    })
  }
})

describe('a full disk', () => {
  test('is met before money moves, and left when there is room again', async () => {
    const { writer, reader } = kit.store
    const held: string[] = []
    await kit.faults.set({ pagesMax: 1 }) // SQLite takes the present size for a bound below it
    while (writer.accepting()) {
      const ids = Array.from({ length: 20 }, (_, at) => `req_${held.length + at}`)
      const ends = await Promise.allSettled(ids.map((id) => writer.hold(holdOf(id, 1))))
      if (ends[0]?.status === 'fulfilled') held.push(...ids)
    }
    expect(kit.log).toEqual(['commit_failed'])
    expect(await reader.holds(null)).toHaveLength(held.length)
    const more = Array.from({ length: 1000 }, (_, at) => `req_more_${at}`) // too much for what is free in the file
    const ended = [...held, ...more].map((id) => writer.settle(settled(id, 1)))
    kit.clock.advance(PROBE_MS)
    await until(
      async () => writer.stats().failedCommits,
      (failed) => failed === 2,
    )
    await kit.faults.set({ pagesMax: null })
    kit.clock.advance(PROBE_MS)
    await Promise.all(ended)
    expect(writer.accepting()).toBe(true)
    expect(await balanceOf(kit.store)).toBe(1_000_000 - held.length - more.length)
    expect((await reader.verify()).faults).toEqual([])
  })
})

describe('the bound of the queue', () => {
  test('10,000 items: no more are taken until they are written', async () => {
    const { writer } = kit.store
    const holds = Array.from({ length: 10_000 }, (_, at) => writer.hold(holdOf(`req_${at}`, 1)))
    expect(writer.accepting()).toBe(false)
    expect(await codeOf(writer.hold(holdOf('req_more')))).toBe('storage_unavailable')
    await Promise.all(holds)
    expect(writer.accepting()).toBe(true)
  })

  test('one second of age: no more are taken until the slow batch has ended', async () => {
    const { writer } = kit.store
    const commit = await kit.faults.holdCommits()
    const slow = writer.hold(holdOf('req_slow'))
    kit.clock.advance(1000)
    expect(writer.accepting()).toBe(true)
    kit.clock.advanceUs(1)
    expect(writer.accepting()).toBe(false)
    expect(await codeOf(writer.hold(holdOf('req_more')))).toBe('storage_unavailable')
    commit()
    await slow
    expect(writer.accepting()).toBe(true)
  })
})
