import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { FolderLocked, restoreFolder } from '../../../src/store/index.ts'
import { balanceOf, type StoreKit, settled, storeKit, tempFolder, usedKit } from './store-kit.ts'

let kit: StoreKit
beforeEach(async () => {
  kit = await usedKit()
})
afterEach(() => kit.end())

const outside = tempFolder()
afterAll(() => rmSync(outside, { recursive: true, force: true }))

const NOW_MS = Date.UTC(2026, 6, 1)

const backup = async (): Promise<string> => (await kit.store.reader.backup('a')).folder

test('puts everything back, keeps what was there, and what was there can be put back as well', async () => {
  const from = await backup()
  await kit.store.writer.settle(settled('req_after', 50))
  await kit.store.close()
  const restored = await restoreFolder(from, kit.folder, NOW_MS)
  expect(restored).toMatchObject({ hasRecords: true, verify: { clean: true } })
  const kept = restored.kept ?? ''
  expect(kept).toBe(join(kit.folder, 'replaced-20260701T000000000Z'))
  await kit.reopen()
  expect(kit.store.recovery).toMatchObject({ voided: 1 })
  expect(await balanceOf(kit.store)).toBe(999_400)
  expect(await kit.store.reader.verify()).toMatchObject({ clean: true, settlements: 3, openHolds: 0 })
  await kit.store.close()
  await restoreFolder(kept, kit.folder, NOW_MS + 1000)
  await kit.reopen()
  expect(await balanceOf(kit.store)).toBe(999_350)
  expect(existsSync(join(kit.folder, 'restoring'))).toBe(false)
})

test('into a folder that is not there', async () => {
  const from = await backup()
  const dataFolder = join(outside, 'new')
  expect(await restoreFolder(from, dataFolder, NOW_MS)).toMatchObject({ kept: null, verify: { clean: true } })
  const other = await storeKit({ dataFolder })
  expect(await balanceOf(other.store)).toBe(999_400)
  await other.end()
})

test('is refused while a server holds the folder', async () => {
  await expect(restoreFolder(await backup(), kit.folder, NOW_MS)).rejects.toBeInstanceOf(FolderLocked)
})

test('of a copy that does not add up changes nothing', async () => {
  const from = await backup()
  const db = new Database(join(from, 'ledger.db'))
  db.run('UPDATE account SET balance = balance + 1')
  db.close()
  await kit.store.close()
  const { verify, kept } = await restoreFolder(from, kit.folder, NOW_MS)
  expect(verify.faults).toEqual(['account acc_1: its balance is 999401, its entries sum to 999400'])
  expect(kept).toBeNull()
  await kit.reopen()
  expect(await balanceOf(kit.store)).toBe(999_400)
})

test('over a ledger that is torn keeps its pieces', async () => {
  const from = await backup()
  await kit.store.close()
  await Bun.write(join(kit.folder, 'ledger.db'), 'this is no database, and long enough to be looked at as one')
  await restoreFolder(from, kit.folder, NOW_MS)
  expect(await Bun.file(join(kit.folder, 'replaced-20260701T000000000Z/ledger.db')).text()).toStartWith('this is no')
  await kit.reopen()
  expect(await balanceOf(kit.store)).toBe(999_400)
})

test('where somebody took the ledger away and left its log: that is no log of the one that comes', async () => {
  const from = await backup()
  await kit.store.writer.settle(settled('req_after', 50))
  const log = await Bun.file(join(kit.folder, 'ledger.db-wal')).bytes()
  await kit.store.close()
  rmSync(join(kit.folder, 'ledger.db'))
  await Bun.write(join(kit.folder, 'ledger.db-wal'), log)
  const { kept } = await restoreFolder(from, kit.folder, NOW_MS)
  expect(readdirSync(kept ?? '').sort()).toEqual(['ledger.db-wal', 'records.db'])
  await kit.reopen()
  expect(await balanceOf(kit.store)).toBe(999_400)
  expect(await kit.store.reader.verify()).toMatchObject({ clean: true, settlements: 3 })
})

test('over something that cannot be kept replaces neither file', async () => {
  const from = await backup()
  await kit.store.writer.settle(settled('req_after', 50))
  await kit.store.close()
  const [ledger, records] = [join(kit.folder, 'ledger.db'), join(kit.folder, 'records.db')]
  renameSync(ledger, `${ledger}.aside`)
  mkdirSync(ledger)
  const before = await Bun.file(records).bytes()
  await expect(restoreFolder(from, kit.folder, NOW_MS)).rejects.toThrow(ledger)
  expect(await Bun.file(records).bytes()).toEqual(before)
  rmSync(ledger, { recursive: true })
  renameSync(`${ledger}.aside`, ledger)
  await kit.reopen()
  expect(await balanceOf(kit.store)).toBe(999_350)
})

test('of a copy with damaged records says what is restored all the same', async () => {
  const from = await backup()
  await kit.store.close()
  const records = join(from, 'records.db')
  await Bun.write(records, 'this is no database, and long enough to be looked at as one')
  const restoring = restoreFolder(from, kit.folder, NOW_MS)
  await expect(restoring).rejects.toThrow(`${records} cannot be copied: SQLITE_NOTADB: file is not a database. Without`)
  rmSync(records)
  expect(await restoreFolder(from, kit.folder, NOW_MS)).toMatchObject({ hasRecords: false })
  await kit.reopen()
  expect(await balanceOf(kit.store)).toBe(999_400)
})

test('of a copy that another version wrote names that copy', async () => {
  const from = await backup()
  const db = new Database(join(from, 'ledger.db'))
  db.run('PRAGMA user_version = 99')
  db.close()
  await kit.store.close()
  await expect(restoreFolder(from, kit.folder, NOW_MS)).rejects.toThrow(`${join(from, 'ledger.db')} is at version 99`)
  await kit.reopen()
})

test('of a folder without a ledger says so', async () => {
  await kit.store.close()
  await expect(restoreFolder(outside, kit.folder, NOW_MS)).rejects.toThrow('is no backup: it has no ledger.db')
  await kit.reopen()
})
