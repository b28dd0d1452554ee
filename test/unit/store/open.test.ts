import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockFolder } from '../../../src/store/sqlite/lock.ts'
import { fundedAccount, storeKit, tempFolder } from './store-kit.ts'

let folder = ''
beforeEach(() => {
  folder = tempFolder()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const messageOf = (opening: Promise<unknown>) =>
  opening.then(
    () => 'no error',
    (error: Error) => error.message,
  )

test('each start is an epoch of its own, and what was written is there', async () => {
  const first = await storeKit({ dataFolder: folder })
  expect(first.store.recovery).toEqual({ epoch: 1, settled: 0, voided: 0 })
  await fundedAccount(first.store, 5)
  const store = await first.reopen()
  expect(store.recovery.epoch).toBe(2)
  expect(await store.reads.account('acc_1')).toMatchObject({ account: { name: 'acme', kind: 'prepaid' }, balance: 5 })
  await store.close()
})

test('a ledger that is no database: the message names it, and the folder is free again', async () => {
  const path = join(folder, 'ledger.db')
  writeFileSync(path, 'this is no database '.repeat(500))
  expect(await messageOf(storeKit({ dataFolder: folder }))).toBe(
    `${path} cannot be opened: SQLITE_NOTADB: file is not a database. Put the data folder back from a copy`,
  )
  lockFolder(folder)()
})

test('a closed store has let go of its files', async () => {
  const { store } = await storeKit({ dataFolder: folder })
  await fundedAccount(store, 5)
  await store.reader.records({ limit: 1, after: null })
  await store.close()
  expect(readdirSync(folder).sort()).toEqual(['ledger.db', 'lock.db', 'records.db'])
})

test('a ledger of a newer program is refused and left as it is', async () => {
  const kit = await storeKit({ dataFolder: folder })
  await kit.store.close()
  const db = new Database(join(folder, 'ledger.db'))
  const newer = 1 + Number(db.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version)
  db.run("INSERT INTO migration VALUES (?, 'later.sql', 'x', 1)", [newer])
  db.run(`PRAGMA user_version = ${newer}`)
  expect(await messageOf(storeKit({ dataFolder: folder }))).toContain(`is at version ${newer}: a newer anyrouter wrote`)
  expect(db.query('SELECT max(number) AS epoch FROM epoch').get()).toEqual({ epoch: 1 })
  db.close()
})

test('a file in the place of the ledger that cannot be opened is named', async () => {
  mkdirSync(join(folder, 'ledger.db'))
  expect(await messageOf(storeKit({ dataFolder: folder }))).toContain(`${join(folder, 'ledger.db')} cannot be opened`)
})
