import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { budgetDays, DEFAULT_POLICY, money } from '../../../src/domain/index.ts'
import { migrate } from '../../../src/store/sqlite/migrate.ts'
import { migrationsFolder } from '../../../src/store/sqlite/migrations-folder.ts'
import { storeKit, tempFolder } from './store-kit.ts'

const DAY_MS = 86_400_000
const MONDAY = Date.UTC(2026, 5, 1)

/** A file of a former version: that of so many migrations. */
function olderFile(dataFolder: string, which: 'ledger' | 'records', version: number): Database {
  const folder = join(dataFolder, 'migrations')
  mkdirSync(folder)
  const files = readdirSync(migrationsFolder(which)).sort().slice(0, version)
  for (const file of files) copyFileSync(join(migrationsFolder(which), file), join(folder, file))
  const path = join(dataFolder, `${which}.db`)
  const db = new Database(path, { create: true, readwrite: true })
  migrate({ db, path, folder, wallMs: 1 })
  rmSync(folder, { recursive: true })
  return db
}

/** The ledger file of the first version, with rows in all its tables, as the program of then left them. */
function firstLedger(dataFolder: string): void {
  const db = olderFile(dataFolder, 'ledger', 1)
  db.run('INSERT INTO epoch (number, started_at_ms) VALUES (1, 1)')
  db.run("INSERT INTO account VALUES ('acc_1', 'acme', 'prepaid', 1, 700, 5)")
  db.run(`INSERT INTO key VALUES ('key_1', 'acc_1', 'first', 'hash-1', 'sk-abc', '["a/b"]', 5, NULL)`)
  db.run(`INSERT INTO key VALUES ('key_2', 'acc_1', 'second', 'hash-2', 'sk-def', NULL, 5, 9)`)
  db.run(
    `INSERT INTO entry (kind, account_id, amount, actor, at_ms, balance_after) VALUES ('top_up', 'acc_1', 1000, 'local:0', 6, 1000)`,
  )
  const settle =
    db.prepare(`INSERT INTO settlement (request_id, account_id, key_id, ending, reason, units_input, units_cached_input,
    units_cache_write, units_output, units_reasoning, cost, charged, overrun, expense, held, ended_at_ms)
    VALUES (?, 'acc_1', ?, ?, 'completed', 1, 0, 0, 1, 0, ?, ?, 0, 0, 500, ?)`)
  settle.run('req_1', 'key_1', 'settled', 100, 100, MONDAY - 1)
  settle.run('req_2', 'key_1', 'settled', 150, 150, MONDAY + 1)
  settle.run('req_3', 'key_1', 'voided', 0, 0, MONDAY + DAY_MS)
  settle.run('req_4', 'key_2', 'settled', 50, 50, MONDAY)
  db.run(
    `INSERT INTO hold (request_id, account_id, key_id, epoch, opened_at_ms, amount, covers) VALUES ('req_5', 'acc_1', 'key_1', 1, 7, 60, '[]')`,
  )
  db.close()
}

test('a ledger of the first version: every row is there, what keys spent is known, the ledger is sound', async () => {
  const dataFolder = tempFolder()
  firstLedger(dataFolder)
  const kit = await storeKit({ dataFolder })
  const { reads, reader, recovery } = kit.store
  expect(kit.log).toEqual(['ledger_migrating', 'ledger_migrated'])
  expect(recovery).toMatchObject({ settled: 0, voided: 1 })
  expect(await reads.account('acc_1')).toMatchObject({ account: { disabled: true, version: 1 }, balance: money(700) })
  expect(await reads.keyByHash('hash-1')).toEqual({
    id: 'key_1',
    accountId: 'acc_1',
    name: 'first',
    prefix: 'sk-abc',
    disabled: false,
    models: ['a/b'],
    expiresAtMs: null,
    addresses: null,
    budgets: null,
    limits: null,
    policy: DEFAULT_POLICY,
    revoked: false,
    version: 1,
  })
  expect((await reads.keyByHash('hash-2'))?.revoked).toBe(true)
  expect<unknown>(await reads.keySpend('key_1', budgetDays(MONDAY))).toEqual({
    total: 250,
    day: 150,
    week: 150,
    month: 150,
  })
  expect<unknown>(await reads.keySpend('key_2', budgetDays(MONDAY))).toMatchObject({ total: 50 })
  const settlements = await reader.settlements(null, { limit: 9, after: null })
  expect(settlements.find(({ requestId }) => requestId === 'req_2')?.heldAtMs).toBe(MONDAY + 1)
  expect(await reader.verify()).toMatchObject({ clean: true, faults: [], settlements: 5, openHolds: 0 })
  await kit.end()
})

const SUM_MAX = 2n ** 63n - 1n

test('records from before there were sums by month: those of days are added up, and stay at the largest number', async () => {
  const dataFolder = tempFolder()
  const db = olderFile(dataFolder, 'records', 8)
  const add = db.prepare(
    `INSERT INTO usage_by_key VALUES (?, 'acc_1', 'key_1', ?, 'acme', 'operator', 2, 1, 10, 1, 0, 5, 0, ?, 3, 4, 6)`,
  )
  const addFurther = db.prepare(
    `INSERT INTO usage_further VALUES (?, 'acc_1', 'key_1', 'small', 'acme', 'operator', 'searches', ?)`,
  )
  const days = ['2024-01-31', '2024-02-01', '2024-02-29', '2024-03-01'].map((day) => Date.parse(day) / DAY_MS)
  for (const [at, day] of days.entries()) {
    add.run(day, 'small', 10 ** at)
    add.run(day, 'large', SUM_MAX - 5n)
    addFurther.run(day, 2 ** at)
  }
  db.close()
  const kit = await storeKit({ dataFolder })
  expect(kit.log).toEqual(['records_migrating', 'records_migrated'])
  await kit.reopen() // closing has written the records
  const records = new Database(join(dataFolder, 'records.db'), { readonly: true, safeIntegers: true })
  const months = records.query('SELECT day, model, requests, units_input, cost, expense FROM usage_by_month').all()
  const month = (first: string, model: string, times: bigint, cost: bigint) => ({
    ...{ day: BigInt(Date.parse(first) / DAY_MS), model, cost },
    ...{ requests: 2n * times, units_input: 10n * times, expense: 6n * times },
  })
  expect(months).toEqual([
    month('2024-01-01', 'large', 1n, SUM_MAX - 5n),
    month('2024-01-01', 'small', 1n, 1n),
    month('2024-02-01', 'large', 2n, SUM_MAX),
    month('2024-02-01', 'small', 2n, 110n),
    month('2024-03-01', 'large', 1n, SUM_MAX - 5n),
    month('2024-03-01', 'small', 1n, 1000n),
  ])
  expect(records.query('SELECT units FROM usage_further_by_month ORDER BY day').values()).toEqual([[1n], [6n], [8n]])
  records.close()
  await kit.end()
})
