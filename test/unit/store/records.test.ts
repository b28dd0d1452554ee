import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fundedAccount, holdOf, OFFER, recordOf, type StoreKit, settled, storeKit, until } from './store-kit.ts'

let kit: StoreKit
beforeEach(async () => {
  kit = await storeKit()
  await fundedAccount(kit.store)
})
afterEach(() => kit.end())

const stored = (requestId: string) =>
  until(
    () => kit.store.reader.record(requestId),
    (record) => record?.settlement !== null && record !== null,
  )

function removeRecords(): void {
  for (const file of ['records.db', 'records.db-wal', 'records.db-shm']) rmSync(join(kit.folder, file), { force: true })
}

describe('records', () => {
  test('come back as they were written, with the money of their settlement', async () => {
    kit.store.writer.record(recordOf('req_1'))
    await kit.store.writer.settle(settled('req_1'))
    const { requestId: _, ...money } = settled('req_1')
    const { end, reason, usage, usageSource, cost, charged, held } = money
    expect(await stored('req_1')).toEqual({
      ...recordOf('req_1'),
      settlement: { end, reason, usage, usageSource, cost, charged, held, owner: 'operator' },
    })
  })

  test('every kind of usage comes back exactly, of the settlement, of its record and in sums; 0 is as if it were not there', async () => {
    const { writer, reader } = kit.store
    const further = { inputAudio: 3, outputImage: 2 ** 40, images: 1, audioMs: 61_000, searches: 2, characters: 9 }
    const usage = { ...settled('req_1').usage, ...further }
    const prices = { ...OFFER, asked: { images: 1 }, feeBps: 250, credential: 'cred_1' }
    await writer.settle({ ...settled('req_1'), usage: { ...usage, inputImage: 0 }, covered: prices })
    await writer.settle({ ...settled('req_2'), usage: { ...settled('req_2').usage, images: 5 } })
    writer.record(recordOf('req_1'))
    kit.clock.advance(1000)
    const rows = await reader.settlements(null, { limit: 10, after: null })
    expect(rows.find(({ requestId }) => requestId === 'req_1')).toMatchObject({ usage, covered: prices })
    expect(rows.find(({ requestId }) => requestId === 'req_1')?.usage).not.toHaveProperty('inputImage')
    expect((await stored('req_1'))?.settlement?.usage).toEqual(usage)
    const query = { by: [], sinceMs: 0, untilMs: 9e15, accountId: null, keyId: null }
    const answer = await reader.usage(query)
    if (answer.kind !== 'rows') throw new Error('too many')
    expect(answer.rows[0]?.units).toMatchObject({ inputAudio: 3n, outputImage: 2n ** 40n, images: 6n, inputImage: 0n })
  })

  test('and settlements arrive in either order', async () => {
    const { writer, reader } = kit.store
    await writer.settle(settled('req_1'))
    writer.record(recordOf('req_1'))
    writer.record(recordOf('req_2'))
    kit.clock.advance(1000)
    expect((await stored('req_1'))?.settlement?.charged as number).toBe(300)
    await writer.settle(settled('req_2', 7))
    expect((await stored('req_2'))?.settlement?.charged as number).toBe(7)
    expect((await reader.records({ limit: 10, after: null })).map(({ requestId }) => requestId)).toEqual([
      'req_2',
      'req_1',
    ])
  })

  test('of requests that never held money have none', async () => {
    kit.store.writer.record({
      ...recordOf('req_1'),
      accountId: null,
      keyId: null,
      status: 401,
      attempts: [],
      skips: [],
    })
    kit.clock.advance(1000)
    const record = await until(
      () => kit.store.reader.record('req_1'),
      (found) => found !== null,
    )
    expect(record).toMatchObject({ status: 401, settlement: null, attempts: [], skips: [] })
  })

  test('without details are not listed: their money is in the settlements', async () => {
    await kit.store.writer.settle(settled('req_1'))
    await kit.reopen()
    const db = kit.raw('records.db')
    expect(db.query('SELECT charged FROM request').all()).toEqual([{ charged: 300 }])
    db.close()
    expect(await kit.store.reader.record('req_1')).toBeNull()
    expect(await kit.store.reader.records({ limit: 10, after: null })).toEqual([])
  })
})

describe('the follower', () => {
  test('catches up at start from its watermark', async () => {
    for (const id of ['req_1', 'req_2', 'req_3']) await kit.store.writer.settle(settled(id))
    await kit.store.close()
    removeRecords()
    await kit.reopen()
    await kit.reopen() // closing waits for the follower
    const db = kit.raw('records.db')
    expect(db.query('SELECT settlement_seq FROM follower').get()).toEqual({ settlement_seq: 3 })
    expect(db.query('SELECT request_id, charged FROM request ORDER BY settlement_seq').all()).toEqual(
      ['req_1', 'req_2', 'req_3'].map((request_id) => ({ request_id, charged: 300 })),
    )
    db.close()
  })

  test('that is far behind needs several rounds', async () => {
    const ids = Array.from({ length: 12_000 }, (_, at) => `req_${String(at).padStart(5, '0')}`)
    await Promise.all(ids.map((id) => kit.store.writer.settle(settled(id, 1))))
    await kit.store.close()
    removeRecords()
    await kit.reopen()
    await kit.store.close()
    const db = kit.raw('records.db')
    expect(db.query('SELECT count(*) AS n FROM request').get()).toEqual({ n: 12_000 })
    expect(db.query('SELECT settlement_seq FROM follower').get()).toEqual({ settlement_seq: 12_000 })
    db.close()
  })
})

describe('a records file in trouble', () => {
  test('never stops money, and what it missed comes later', async () => {
    const { writer } = kit.store
    await kit.faults.set({ failRecords: 1 })
    writer.record(recordOf('req_1'))
    await writer.hold(holdOf('req_1'))
    await writer.settle(settled('req_1'))
    expect(writer.accepting()).toBe(true)
    expect((await stored('req_1'))?.settlement?.charged as number).toBe(300) // the thread tried again after its second
    expect(kit.log).toEqual(['records_failed'])
    expect((await kit.store.reader.verify()).faults).toEqual([])
  })

  test('that is no database at all is logged; the ledger opens and works, verify says so', async () => {
    await kit.store.close()
    removeRecords()
    writeFileSync(join(kit.folder, 'records.db'), 'this is no database '.repeat(500))
    await kit.reopen()
    await kit.store.writer.settle(settled('req_1'))
    expect(kit.log[0]).toBe('records_failed')
    expect((await kit.store.reader.verify()).faults).toEqual(['the records cannot be read: file is not a database'])
  })

  test('drops a record that its table refuses, alone', async () => {
    const bad = { ...recordOf('req_1'), startedAtMs: 0.5 }
    kit.store.writer.record(bad)
    kit.store.writer.record(recordOf('req_2'))
    await kit.store.writer.settle(settled('req_2'))
    expect(await stored('req_2')).not.toBeNull()
    expect(kit.log).toEqual(['record_refused'])
  })
})
