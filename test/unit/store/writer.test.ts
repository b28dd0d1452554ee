import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { money, NO_LIMITS, NO_TERMS } from '../../../src/domain/index.ts'
import { breathe } from '../../support/wire.ts'
import {
  balanceOf,
  codeOf,
  fundedAccount,
  holdOf,
  OFFER,
  type StoreKit,
  settled,
  storeKit,
  topUp,
  voided,
} from './store-kit.ts'

let kit: StoreKit
beforeEach(async () => {
  kit = await storeKit()
  await fundedAccount(kit.store)
})
afterEach(() => kit.end())

const PAGE = { limit: 100, after: null }

describe('group commit', () => {
  test('what is appended in one tick goes out as one batch', async () => {
    const { writer } = kit.store
    const before = writer.stats()
    await Promise.all(Array.from({ length: 50 }, (_, at) => writer.hold(holdOf(`req_${at}`))))
    expect(writer.stats().batches - before.batches).toBe(1)
    expect(writer.stats().items - before.items).toBe(50)
    expect(await kit.store.reader.holds('acc_1')).toHaveLength(50)
  })

  test('what comes while a batch is in flight goes out together after it', async () => {
    const { writer } = kit.store
    const before = writer.stats().batches
    const commit = await kit.faults.holdCommits()
    const first = writer.hold(holdOf('req_first'))
    await breathe()
    expect(writer.stats().batches - before).toBe(1)
    const more: Promise<void>[] = []
    for (let at = 0; at < 10; at++) {
      more.push(writer.hold(holdOf(`req_${at}`)))
      await breathe()
    }
    commit()
    await Promise.all([first, ...more])
    expect(writer.stats().batches - before).toBe(2)
  })

  test('a hold and its settlement that meet become the settlement alone', async () => {
    const { writer, reader } = kit.store
    const before = writer.stats().items
    const held = writer.hold(holdOf('req_1'))
    writer.checkpoint('req_1', { offer: OFFER.offer, deliveredUnits: 3 })
    const ended = writer.settle(settled('req_1'))
    await Promise.all([held, ended])
    expect(writer.stats().items - before).toBe(1)
    expect(await reader.settlements('acc_1', PAGE)).toMatchObject([{ requestId: 'req_1', held: 1000, charged: 300 }])
    expect(await reader.holds(null)).toEqual([])
    expect(await balanceOf(kit.store)).toBe(999_700)
  })

  test('a hold that may wait does, until its time is over or somebody hurries', async () => {
    const { writer, reader } = kit.store
    const slow = writer.hold(holdOf('req_slow'), 5)
    const urgent = writer.hold(holdOf('req_urgent'), 5)
    writer.hurry('req_urgent')
    writer.hurry('req_unknown')
    await urgent
    expect((await reader.holds(null)).map(({ requestId }) => requestId)).toEqual(['req_urgent'])
    kit.clock.advance(5)
    await slow
    expect(await reader.holds(null)).toHaveLength(2)
  })

  test('a settlement takes the place of a hold that waits, and stands or falls with it', async () => {
    const { writer, reader } = kit.store
    const before = writer.stats().items
    const held = writer.hold(holdOf('req_1'), 5)
    expect(writer.settleWithHold(settled('req_1'))).toBe(true)
    expect(writer.settleWithHold(settled('req_1'))).toBe(false)
    await held
    expect(writer.stats().items - before).toBe(1)
    expect(await reader.holds(null)).toEqual([])
    expect(await balanceOf(kit.store)).toBe(999_700)
    await writer.hold(holdOf('req_2'))
    expect(writer.settleWithHold(settled('req_2'))).toBe(false) // its hold is on disk
    expect(await reader.settlements('acc_1', PAGE)).toHaveLength(1)
  })

  test('a hold of the batch before is removed by its settlement; many of one account change its balance once each', async () => {
    const { writer, reader } = kit.store
    const ids = Array.from({ length: 20 }, (_, at) => `req_${at}`)
    await Promise.all(ids.map((id) => writer.hold(holdOf(id))))
    await Promise.all(ids.map((id, at) => writer.settle(at % 2 === 0 ? settled(id, 100 + at) : voided(id))))
    expect(await reader.holds(null)).toEqual([])
    expect(await balanceOf(kit.store)).toBe(1_000_000 - (100 * 10 + 90))
    expect(await reader.verify()).toMatchObject({ clean: true, settlements: 20 })
  })

  test('a settlement applied again changes nothing, in the same batch or a later one', async () => {
    const { writer, reader } = kit.store
    await Promise.all([writer.settle(settled('req_1')), writer.settle(settled('req_1'))])
    await writer.settle(settled('req_1', 555))
    expect(await balanceOf(kit.store)).toBe(999_700)
    expect(await reader.settlements('acc_1', PAGE)).toHaveLength(1)
  })

  test('reads see a commit as soon as it is acknowledged', async () => {
    const { writer, reads, reader } = kit.store
    for (let at = 1; at <= 20; at++) {
      const entry = await writer.enter(topUp(1))
      expect((await reads.account('acc_1'))?.balance).toBe(entry.balanceAfter)
    }
    expect(await reader.accounts(PAGE)).toMatchObject([{ balance: 1_000_020, createdAtMs: 1 }])
  })

  test('a checkpoint reaches its open hold and no other', async () => {
    const { writer } = kit.store
    await Promise.all([writer.hold(holdOf('req_1')), writer.hold(holdOf('req_2'))])
    writer.checkpoint('req_1', { offer: OFFER.offer, deliveredUnits: 1 })
    writer.checkpoint('req_1', { offer: OFFER.offer, deliveredUnits: 9 })
    writer.checkpoint('req_gone', { offer: OFFER.offer, deliveredUnits: 9 })
    await writer.enter(topUp(1))
    const db = kit.raw()
    expect(db.query('SELECT request_id, checkpoint_offer AS offer, checkpoint_units AS units FROM hold').all()).toEqual(
      [
        { request_id: 'req_1', offer: OFFER.offer, units: 9 },
        { request_id: 'req_2', offer: null, units: null },
      ],
    )
    db.close()
  })
})

describe('what a table refuses', () => {
  test('one hold alone rejects, the rest of its batch is written', async () => {
    const { writer, reader } = kit.store
    const [good, bad, other] = await Promise.all([
      codeOf(writer.hold(holdOf('req_1'))),
      codeOf(writer.hold(holdOf('req_2', 10, 'acc_none'))),
      codeOf(writer.enter(topUp(5))),
    ])
    expect([good, bad, other]).toEqual(['no error', 'storage_unavailable', 'no error'])
    expect((await reader.holds(null)).map(({ requestId }) => requestId)).toEqual(['req_1'])
    expect(writer.accepting()).toBe(true)
    expect(kit.log).toEqual(['hold_refused'])
  })

  test('a settlement that is refused is fatal: it may not be dropped', async () => {
    const { writer } = kit.store
    writer.settle({ ...settled('req_1', 300), overrun: money(1) }) // its postings do not sum to zero
    const hold = codeOf(writer.hold(holdOf('req_2')))
    expect(await hold).toBe('storage_unavailable')
    expect(kit.fatal.map(({ message }) => message)).toEqual([
      expect.stringContaining('CHECK constraint failed: posting_account'),
    ])
    expect(writer.accepting()).toBe(false)
    expect(await balanceOf(kit.store)).toBe(1_000_000)
  })
})

describe('commands', () => {
  test('of accounts and keys answer what they made', async () => {
    const { writer, reads } = kit.store
    const account = await writer.createAccount({ id: 'acc_2', name: 'zeta', kind: 'unmetered', createdAtMs: 3 })
    expect(account).toEqual({ id: 'acc_2', name: 'zeta', kind: 'unmetered', disabled: false, ...NO_TERMS, version: 1 })
    expect(await reads.account('acc_2')).toEqual({ account, balance: money(0), credentials: [] })
    const models = ['a/b', 'c']
    const wish = {
      id: 'key_2',
      accountId: 'acc_2',
      name: 'k',
      hash: 'h2',
      prefix: 'sk-2',
      ...NO_LIMITS,
      models,
      createdAtMs: 4,
    }
    const key = await writer.createKey(wish)
    const named = { id: 'key_2', accountId: 'acc_2', name: 'k', prefix: 'sk-2' }
    expect(key).toEqual({ ...NO_LIMITS, ...named, models, revoked: false, version: 1 })
    expect(await reads.keyByHash('h2')).toEqual(key)
    expect(await reads.keyByHash('unknown')).toBeNull()
    expect(await reads.account('unknown')).toBeNull()
  })

  test('revoking answers the hash, twice the same', async () => {
    const { writer, reads } = kit.store
    const revoked = await writer.revokeKey('key_1')
    expect(revoked).toMatchObject({ hash: 'hash-1', key: { id: 'key_1', revoked: true, models: null } })
    expect(await writer.revokeKey('key_1')).toEqual(revoked)
    expect((await reads.keyByHash('hash-1'))?.revoked).toBe(true)
  })

  test('entries answer their number and the balance after them', async () => {
    const { writer, reader } = kit.store
    const [one, two] = await Promise.all([
      writer.enter(topUp(500)),
      writer.enter({ ...topUp(-2_000_000), kind: 'adjustment', note: 'mistake' }),
    ])
    expect([one.balanceAfter, two.balanceAfter].map(Number)).toEqual([1_000_500, -999_500])
    expect(two.seq).toBe(one.seq + 1)
    expect((await reader.entries('acc_1', PAGE)).map(({ seq }) => seq)).toEqual([two.seq, one.seq, 1])
    expect(await balanceOf(kit.store)).toBe(-999_500)
    expect((await reader.verify()).faults).toEqual([])
  })

  test('that cannot be are refused one by one, and change nothing', async () => {
    const { writer, reader } = kit.store
    const key = { id: 'key_9', accountId: 'acc_1', name: 'k', hash: 'h9', prefix: 'p', ...NO_LIMITS, createdAtMs: 1 }
    const codes = await Promise.all([
      codeOf(writer.createAccount({ id: 'acc_9', name: 'acme', kind: 'prepaid', createdAtMs: 1 })),
      codeOf(writer.createAccount({ id: 'acc_1', name: 'other', kind: 'prepaid', createdAtMs: 1 })),
      codeOf(writer.createKey({ ...key, accountId: 'acc_none' })),
      codeOf(writer.createKey({ ...key, hash: 'hash-1' })),
      codeOf(writer.revokeKey('key_none')),
      codeOf(writer.enter(topUp(1, 'acc_none'))),
      codeOf(writer.enter(topUp(-1))),
      codeOf(writer.enter(topUp(Number.MAX_SAFE_INTEGER))),
      codeOf(writer.enter(topUp(7))),
    ])
    expect(codes).toEqual([
      'conflict',
      'conflict',
      'not_found',
      'conflict',
      'not_found',
      'not_found',
      'invalid_request',
      'invalid_request',
      'no error',
    ])
    expect(await balanceOf(kit.store)).toBe(1_000_007)
    expect(await reader.verify()).toMatchObject({ clean: true, accounts: 1, entries: 2 })
  })
})

describe('closing', () => {
  test('writes what is queued, then takes nothing more', async () => {
    const { writer } = kit.store
    const held = writer.hold(holdOf('req_1'))
    const ended = writer.settle(settled('req_1'))
    const closing = kit.store.close()
    expect(writer.accepting()).toBe(false)
    expect(await codeOf(writer.hold(holdOf('req_2')))).toBe('storage_unavailable')
    expect(await codeOf(writer.enter(topUp(1)))).toBe('storage_unavailable')
    await Promise.all([held, ended, closing])
    const again = await kit.reopen()
    expect(await balanceOf(again)).toBe(999_700)
    expect(again.recovery).toEqual({ epoch: 2, settled: 0, voided: 0 })
  })

  test('leaves nothing in the write-ahead log, and holds that are open are of a dead epoch then', async () => {
    await kit.store.writer.hold(holdOf('req_1'))
    await kit.store.close()
    await kit.store.close()
    expect(Bun.file(`${kit.folder}/ledger.db-wal`).size).toBe(0)
    expect((await kit.reopen()).recovery).toEqual({ epoch: 2, settled: 0, voided: 1 })
  })
})
