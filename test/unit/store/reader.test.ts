import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { GatewayError, NO_LIMITS } from '../../../src/domain/index.ts'
import { ReaderClient } from '../../../src/store/sqlite/reader-client.ts'
import { fundedAccount, holdOf, recordOf, type StoreKit, settled, storeKit, topUp, until } from './store-kit.ts'

let kit: StoreKit
beforeEach(async () => {
  kit = await storeKit()
  await fundedAccount(kit.store)
})
afterEach(() => kit.end())

/** Walks all pages of two; answers what `name` finds in each row. */
async function walk<R>(
  read: (page: { limit: number; after: string | null }) => Promise<readonly R[]>,
  cursorOf: (row: R) => string,
): Promise<string[]> {
  const seen: string[] = []
  let after: string | null = null
  for (;;) {
    const rows: readonly R[] = await read({ limit: 2, after })
    expect(rows.length).toBeLessThanOrEqual(2)
    seen.push(...rows.map(cursorOf))
    const last = rows.at(-1)
    if (last === undefined) return seen
    after = cursorOf(last)
  }
}

describe('pages', () => {
  test('of accounts go by name', async () => {
    const { writer, reader } = kit.store
    for (const name of ['zoo', 'bee', 'cow', 'ant']) {
      await writer.createAccount({ id: `acc_${name}`, name, kind: 'unmetered', createdAtMs: 1 })
    }
    const seen = await walk(
      (page) => reader.accounts(page),
      ({ account }) => account.id,
    )
    expect(seen).toEqual(['acc_1', 'acc_ant', 'acc_bee', 'acc_cow', 'acc_zoo'])
  })

  test('of keys go by account and name, or by name within one account', async () => {
    const { writer, reader } = kit.store
    await writer.createAccount({ id: 'acc_0', name: 'zero', kind: 'prepaid', createdAtMs: 1 })
    for (const [id, accountId, name] of [
      ['key_2', 'acc_1', 'b'],
      ['key_3', 'acc_1', 'b'],
      ['key_4', 'acc_0', 'z'],
    ] as const) {
      await writer.createKey({ id, accountId, name, hash: id, prefix: 'p', ...NO_LIMITS, createdAtMs: 1 })
    }
    expect(
      await walk(
        (page) => reader.keys(null, page),
        ({ id }) => id,
      ),
    ).toEqual(['key_4', 'key_2', 'key_3', 'key_1'])
    expect(
      await walk(
        (page) => reader.keys('acc_1', page),
        ({ id }) => id,
      ),
    ).toEqual(['key_2', 'key_3', 'key_1'])
  })

  test('of entries, settlements and records go from the newest back', async () => {
    const { writer, reader } = kit.store
    for (const at of [1, 2, 3, 4]) await writer.enter(topUp(at))
    const ids = ['req_1', 'req_2', 'req_3']
    for (const id of ids) {
      writer.record(recordOf(id))
      await writer.settle(settled(id))
    }
    expect(
      await walk(
        (page) => reader.entries('acc_1', page),
        ({ seq }) => String(seq),
      ),
    ).toEqual(['5', '4', '3', '2', '1'])
    const settlements = await walk(
      (page) => reader.settlements(null, page),
      ({ seq }) => String(seq),
    )
    expect(settlements).toEqual(['3', '2', '1'])
    expect(await reader.settlements('acc_other', { limit: 5, after: null })).toEqual([])
    await until(
      () => reader.record('req_3'),
      (record) => record !== null,
    )
    expect(
      await walk(
        (page) => reader.records(page),
        ({ requestId }) => requestId,
      ),
    ).toEqual(ids.toReversed())
  })

  test('whose cursor names nothing are empty', async () => {
    const { reader } = kit.store
    expect(await reader.accounts({ limit: 5, after: 'acc_none' })).toEqual([])
    expect(await reader.keys(null, { limit: 5, after: 'key_none' })).toEqual([])
    expect(await reader.entries('acc_1', { limit: 5, after: 'no number' })).toEqual([])
  })
})

describe('what is read back', () => {
  test('an account by its name, to the letter', async () => {
    const { reader } = kit.store
    const [row] = await reader.accounts({ limit: 1, after: null })
    expect(row?.account.id).toBe('acc_1')
    const name = row?.account.name ?? ''
    expect(await reader.accountNamed(name)).toMatchObject({ account: row?.account ?? {}, balance: row?.balance ?? -1 })
    for (const other of ['acc_1', `${name} `, name.toUpperCase(), '%', ''])
      expect(await reader.accountNamed(other)).toBeNull()
  })

  test('a hold and a settlement are what was written', async () => {
    const { writer, reader } = kit.store
    await writer.hold(holdOf('req_1'))
    expect(await reader.holds('acc_1')).toEqual([holdOf('req_1')])
    expect(await reader.holds('acc_2')).toEqual([])
    await writer.settle(settled('req_1'))
    expect(await reader.settlements('acc_1', { limit: 1, after: null })).toEqual([{ ...settled('req_1'), seq: 1 }])
  })
})

describe('a reader thread', () => {
  test('that dies rejects its calls and is started again by the next', async () => {
    const log: string[] = []
    const threads: Worker[] = []
    const reader = new ReaderClient({
      spawn: () => {
        const thread = new Worker(new URL('../../../src/store/sqlite/reader.ts', import.meta.url))
        threads.push(thread)
        return thread
      },
      dataFolder: kit.folder,
      clock: kit.clock,
      log: { warn: (event) => log.push(event) },
    })
    await reader.open()
    const open = reader.verify().catch((thrown: unknown) => thrown)
    threads[0]?.terminate()
    const error = await open
    expect(error).toBeInstanceOf(GatewayError)
    expect(error).toMatchObject({ code: 'storage_unavailable' })
    expect(log).toEqual(['reader_died'])
    expect(await reader.accounts({ limit: 1, after: null })).toHaveLength(1)
    expect(threads).toHaveLength(2)
    await reader.close()
    expect(await reader.holds(null).catch((thrown: unknown) => thrown)).toMatchObject({ code: 'storage_unavailable' })
  })

  test('that does not answer in 5 s is waited for no longer', async () => {
    const never = new URL('./silent-thread.ts', import.meta.url)
    const spawn = () => new Worker(never)
    const reader = new ReaderClient({ spawn, dataFolder: kit.folder, clock: kit.clock, log: { warn: () => {} } })
    const open = reader.holds(null).catch((thrown: unknown) => thrown)
    kit.clock.advance(5000)
    expect(await open).toMatchObject({
      code: 'storage_unavailable',
      details: { internal: 'open took more than 5000 ms' },
    })
    const closing = reader.close()
    kit.clock.advance(5000)
    await closing
  })
})
