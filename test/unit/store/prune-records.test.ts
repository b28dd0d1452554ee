import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { fundedAccount, recordOf, type StoreKit, settled, storeKit, until } from './store-kit.ts'

let kit: StoreKit
beforeEach(async () => {
  kit = await storeKit()
  await fundedAccount(kit.store)
})
afterEach(() => kit.end())

const DAY_MS = 86_400_000
const WIDE = { beforeMs: 0, contentBeforeMs: 0, bytesMax: Number.MAX_SAFE_INTEGER }

/** A request of that time. */
const idAt = (ms: number, number = 0): string =>
  `req_${ms.toString(16).padStart(12, '0')}${String(number).padStart(20, '0')}`

async function recorded(ids: readonly string[]): Promise<void> {
  const { writer, reader } = kit.store
  for (const id of ids) writer.record(recordOf(id))
  await Promise.all(ids.map((id) => writer.settle(settled(id, 1))))
  for (const id of ids.slice(-1))
    await until(
      () => reader.record(id),
      (record) => (record?.settlement ?? null) !== null,
    )
}

const left = async (): Promise<string[]> =>
  (await kit.store.reader.records({ limit: 1000, after: null })).map(({ requestId }) => requestId).sort()

/** Answers in how many steps. */
async function pruned(bounds: object): Promise<number> {
  for (let steps = 1; ; steps++) if (!(await kit.store.writer.pruneRecords({ ...WIDE, ...bounds }))) return steps
}

const rows = (table: string): number => {
  const db = kit.raw('records.db')
  try {
    return db.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? -1
  } finally {
    db.close()
  }
}

describe('records are pruned', () => {
  test('by age, with their attempts; sums and the watermark stay', async () => {
    const ids = [1, 2, 3].map((day) => idAt(day * DAY_MS))
    await recorded(ids)
    expect(await pruned({ beforeMs: 2 * DAY_MS })).toBe(1)
    expect(await left()).toEqual(ids.slice(1))
    expect(rows('attempt')).toBe(2)
    const query = { by: [], sinceMs: 0, untilMs: DAY_MS, accountId: null, keyId: null }
    expect(await kit.store.reader.usage(query)).toMatchObject({ rows: [{ requests: 3n, charged: 3n }] })
    await kit.reopen() // nothing is followed again
    expect(await left()).toEqual(ids.slice(1))
  })

  test('in small steps', async () => {
    const ids = Array.from({ length: 450 }, (_, at) => idAt(DAY_MS, at))
    await recorded(ids)
    expect(await pruned({ beforeMs: 2 * DAY_MS })).toBe(3)
    expect(await left()).toEqual([])
  })

  test('by size, the oldest first', async () => {
    const ids = Array.from({ length: 1000 }, (_, at) => idAt(DAY_MS + at))
    await recorded(ids)
    const db = kit.raw('records.db')
    const bytes = db
      .query<{ bytes: number }, []>(
        'SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size',
      )
      .get()?.bytes
    db.close()
    await pruned({ bytesMax: Math.floor((bytes ?? 0) * 0.7) })
    const kept = await left()
    expect(kept.length).toBeGreaterThan(200)
    expect(kept.length).toBeLessThan(900)
    expect(kept).toEqual(ids.slice(-kept.length))
    await pruned({ bytesMax: 1 }) // less than the empty file: it comes to an end all the same
    expect(await left()).toEqual([])
  })

  test('not while the file is in trouble, and again after it', async () => {
    await recorded([idAt(DAY_MS)])
    await kit.faults.set({ failRecords: 1 })
    kit.store.writer.record(recordOf(idAt(2 * DAY_MS)))
    await kit.store.writer.settle(settled(idAt(2 * DAY_MS), 1)) // the record goes with it
    await until(
      async () => {
        await kit.store.reader.holds(null) // other threads need their time
        return kit.log
      },
      (log) => log.includes('records_failed'),
    )
    expect(await kit.store.writer.pruneRecords(WIDE).catch((error: Error) => error.message)).toMatch(
      /cannot be written/,
    )
    await until(
      () => kit.store.reader.record(idAt(2 * DAY_MS)),
      (record) => record !== null, // the thread tries again after its second
    )
    expect(await pruned({ beforeMs: 3 * DAY_MS })).toBe(1)
    expect(await left()).toEqual([])
  })

  test('prompts and answers have a time of their own', async () => {
    const { writer, reader } = kit.store
    const ids = [1, 2].map((day) => idAt(day * DAY_MS))
    await recorded(ids)
    for (const requestId of ids)
      writer.keepContent({ requestId, accountId: 'acc_1', prompt: 'sealed', answer: null, isCut: false })
    const [first = '', second = ''] = ids
    await until(
      () => reader.content(second),
      (content) => content !== null,
    )
    await pruned({ contentBeforeMs: 2 * DAY_MS })
    expect(await reader.content(first)).toBeNull()
    expect(await reader.content(second)).toEqual({
      requestId: second,
      accountId: 'acc_1',
      prompt: 'sealed',
      answer: null,
      isCut: false,
    })
    expect(await left()).toEqual(ids)
    await pruned({ beforeMs: 3 * DAY_MS }) // nothing is kept longer than its request
    expect(await reader.content(second)).toBeNull()
  })
})
