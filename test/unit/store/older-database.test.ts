import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { budgetDays, DEFAULT_POLICY, money } from '../../../src/domain/index.ts'
import { migrate } from '../../../src/store/sqlite/migrate.ts'
import { migrationsFolder } from '../../../src/store/sqlite/migrations-folder.ts'
import { storeKit, tempFolder } from './store-kit.ts'

const DAY_MS = 86_400_000
const MONDAY = Date.UTC(2026, 5, 1)

/** The ledger file of the first version, with rows in all its tables, as the program of then left them. */
function firstLedger(dataFolder: string): void {
  const folder = join(dataFolder, 'migrations')
  mkdirSync(folder)
  copyFileSync(join(migrationsFolder('ledger'), '0001-first.sql'), join(folder, '0001-first.sql'))
  const path = join(dataFolder, 'ledger.db')
  const db = new Database(path, { create: true, readwrite: true })
  migrate({ db, path, folder, wallMs: 1 })
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
  rmSync(folder, { recursive: true })
}

test('a ledger of the first version: every row is there, what keys spent is known, the ledger is sound', async () => {
  const dataFolder = tempFolder()
  firstLedger(dataFolder)
  const kit = await storeKit({ dataFolder })
  const { reads, reader, recovery } = kit.store
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
