import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { decodeBatch } from '../../../src/store/sqlite/batch.ts'
import { Faults } from '../../../src/store/sqlite/faults.ts'
import { Gathering } from '../../../src/store/sqlite/gathering.ts'
import { LedgerFile } from '../../../src/store/sqlite/ledger-file.ts'
import { recordValues } from '../../../src/store/sqlite/record-values.ts'
import { RecordsFile } from '../../../src/store/sqlite/records-file.ts'
import { fundedAccount, recordOf, type StoreKit, settled, storeKit } from './store-kit.ts'

const COUNT = 100
const ROUND_MS = 50

let kit: StoreKit
let ledger: LedgerFile
let records: RecordsFile
let faults: Faults
let trouble: string[]
let batches = 0
/** How much later it is each time somebody looks. */
let lookUs = 0

/** Both files as the writer thread has them, in this one, with the first step of a round done. */
beforeEach(async () => {
  kit = await storeKit()
  await fundedAccount(kit.store)
  await kit.store.close()
  faults = new Faults()
  trouble = []
  lookUs = 0
  ledger = new LedgerFile({ path: join(kit.folder, 'ledger.db'), crash: 'delivered', wallMs: 1, faults })
  records = open()
  write('a', COUNT)
  kit.clock.advance(ROUND_MS)
})

afterEach(async () => {
  records.close()
  ledger.close()
  await kit.end()
})

function open(): RecordsFile {
  let lookedUs = 0
  return new RecordsFile({
    path: join(kit.folder, 'records.db'),
    ledgerPath: join(kit.folder, 'ledger.db'),
    lastSettlement: () => ledger.lastSettlement(),
    clock: { ...kit.clock, monotonicUs: () => (lookedUs += lookUs) },
    faults,
    onTrouble: (event) => trouble.push(event),
  })
}

/** A batch of requests that ended. */
function write(name: string, count: number): void {
  const ids = Array.from({ length: count }, (_, at) => `req_${name}${at}`)
  const gathering = new Gathering()
  for (const id of ids) gathering.settle(settled(id, 1))
  expect(ledger.write(decodeBatch(gathering.encode(++batches, false))).kind).toBe('committed')
  records.add(ids.map((id) => recordValues(recordOf(id))))
  records.writeSoon()
}

/** Requests on disk with their details and their money, and how many the sums have. */
function onDisk(): { whole: number; summed: number } {
  const db = kit.raw('records.db')
  try {
    const count = (sql: string) => db.query<{ n: number | null }, []>(sql).get()?.n ?? 0
    return {
      whole: count('SELECT count(*) AS n FROM request WHERE status IS NOT NULL AND charged = 1'),
      summed: count('SELECT sum(requests) AS n FROM usage_by_payer'),
    }
  } finally {
    db.close()
  }
}

const all = (count: number) => ({ whole: count, summed: count })
const turn = () => new Promise((resolve) => setImmediate(resolve))

async function untilOnDisk(count: number): Promise<void> {
  while (onDisk().whole < count) await turn()
  expect(onDisk()).toEqual(all(count))
}

test('a round leaves the ledger its turn between some rows and the next, and is on disk as one', async () => {
  for (let turns = 0; turns < 3; turns++) {
    expect(onDisk()).toEqual(all(0))
    write(`between${turns}-`, 1)
    await turn()
  }
  await untilOnDisk(COUNT)
  kit.clock.advance(ROUND_MS)
  await untilOnDisk(COUNT + 3)
  expect(trouble).toEqual([])
})

test('a round that is due while one is under way follows it', async () => {
  write('b', 1)
  kit.clock.advance(ROUND_MS)
  await untilOnDisk(COUNT)
  kit.clock.advance(ROUND_MS)
  await untilOnDisk(COUNT + 1)
})

test('what is written beside the rounds comes after the one under way', () => {
  records.prune({ beforeMs: 0, contentBeforeMs: 0, bytesMax: Number.MAX_SAFE_INTEGER })
  expect(onDisk()).toEqual(all(COUNT))
})

test('a round that fails on its way is written again, with what came meanwhile', async () => {
  faults.set({ failRecords: 1 })
  write('b', 1)
  while (trouble.length === 0) await turn()
  expect(onDisk()).toEqual(all(0))
  kit.clock.advance(1000)
  await untilOnDisk(COUNT + 1)
  expect(trouble).toEqual(['records_failed'])
})

test('closing writes the rest of it, and what came meanwhile', () => {
  write('b', 1)
  records.close()
  expect(onDisk()).toEqual(all(COUNT + 1))
})

test('closing far behind on a slow disk leaves the rest to the next start', () => {
  const far = 5000
  write('b', far)
  lookUs = 30_000
  records.close()
  const { summed } = onDisk()
  expect(summed).toBeGreaterThan(COUNT)
  expect(summed).toBeLessThan(far)
  lookUs = 0
  records = open()
  records.write()
  records.close()
  expect(onDisk().summed).toBe(COUNT + far)
})
