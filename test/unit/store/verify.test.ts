import type { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { fundedAccount, holdOf, type StoreKit, settled, storeKit, until } from './store-kit.ts'

let kit: StoreKit
beforeEach(async () => {
  kit = await storeKit()
  const { writer } = kit.store
  await fundedAccount(kit.store)
  await Promise.all(['req_1', 'req_2', 'req_open'].map((id) => writer.hold(holdOf(id))))
  await Promise.all(['req_1', 'req_2'].map((id) => writer.settle(settled(id))))
})
afterEach(() => kit.end())

/** Changes a file behind the program's back: no trigger, no check, no foreign key is in the way. */
function tamper(change: (db: Database) => void, file: 'ledger.db' | 'records.db' = 'ledger.db'): void {
  const db = kit.raw(file)
  db.run('PRAGMA busy_timeout = 2000')
  db.run('PRAGMA ignore_check_constraints = ON')
  db.run('PRAGMA foreign_keys = OFF')
  for (const trigger of ['settlement_no_update', 'settlement_no_delete', 'entry_no_update', 'entry_no_delete']) {
    db.run(`DROP TRIGGER IF EXISTS ${trigger}`)
  }
  change(db)
  db.close()
}

const faults = async () => (await kit.store.reader.verify()).faults

/** Makes a table anew from its own definition, changed. */
function redefine(db: Database, table: string, from: string, to: string): void {
  const sql = db.query<{ sql: string }, [string]>('SELECT sql FROM sqlite_schema WHERE name = ?').get(table)?.sql ?? ''
  expect(sql).toContain(from)
  const columns = db
    .query<{ name: string }, []>(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => name)
    .join(', ')
  db.run(sql.replace(`CREATE TABLE ${table}`, 'CREATE TABLE changed').replace(from, to))
  db.run(`INSERT INTO changed (${columns}) SELECT ${columns} FROM ${table}`)
  db.run(`DROP TABLE ${table}`)
  db.run(`ALTER TABLE changed RENAME TO ${table}`)
}

test('a sound ledger is clean, with its figures', async () => {
  expect(await kit.store.reader.verify()).toEqual({
    clean: true,
    faults: [],
    accounts: 1,
    entries: 1,
    settlements: 2,
    openHolds: 1,
    balanceSum: '999400',
  })
})

test('so is an empty one', async () => {
  const empty = await storeKit()
  const nothing = { accounts: 0, entries: 0, settlements: 0, openHolds: 0, balanceSum: '0' }
  expect(await empty.store.reader.verify()).toEqual({ clean: true, faults: [], ...nothing })
  await empty.end()
})

test('so is one whose keys spent on several days', async () => {
  const DAY_MS = 86_400_000
  await kit.store.writer.settle({ ...settled('req_3', 200), heldAtMs: DAY_MS, endedAtMs: 2 * DAY_MS })
  expect(await faults()).toEqual([])
  tamper((db) => db.run('UPDATE key_spend SET charged = charged - 10 WHERE day = 1'))
  expect(await faults()).toEqual([
    'spent by key key_1: 790, its settlements sum to 800',
    'spent by day 1: 190, its settlements sum to 200',
  ])
})

test('a balance that is not the sum of its entries', async () => {
  tamper((db) => db.run('UPDATE account SET balance = balance + 1'))
  expect(await faults()).toEqual(['account acc_1: its balance is 999401, its entries sum to 999400'])
})

test('a settlement whose postings do not sum to zero', async () => {
  tamper((db) => db.run('UPDATE settlement SET cost = cost + 1 WHERE seq = 2'))
  expect(await faults()).toEqual(['settlement 2: its postings do not sum to zero'])
})

test('a settlement that was changed, sum and all', async () => {
  tamper((db) => db.run('UPDATE settlement SET cost = 1, charged = 1 WHERE seq = 2'))
  expect(await faults()).toEqual([
    'account acc_1: its balance is 999400, its entries sum to 999699',
    'spent by key key_1: 600, its settlements sum to 301',
    'spent by day 0: 600, its settlements sum to 301',
  ])
})

test('what a key spent that its settlements do not say, in the sum or on another day', async () => {
  tamper((db) => db.run('UPDATE key_spend SET charged = charged + 1'))
  expect(await faults()).toEqual([
    'spent by key key_1: 601, its settlements sum to 600',
    'spent by day 0: 601, its settlements sum to 600',
  ])
  tamper((db) => db.run('UPDATE key_spend SET charged = charged - 1, day = 7'))
  expect(await faults()).toEqual([
    'spent by day 7: 600, its settlements sum to 0',
    'spent by day 0: nothing, its settlements sum to 600',
  ])
  tamper((db) => db.run('DELETE FROM key_spend'))
  expect(await faults()).toEqual([
    'spent by key key_1: nothing, its settlements sum to 600',
    'spent by day 0: nothing, its settlements sum to 600',
  ])
})

test('an entry whose postings do not sum to zero', async () => {
  tamper((db) => redefine(db, 'entry', 'THEN -amount ELSE', 'THEN 1 - amount ELSE'))
  expect(await faults()).toEqual(['entry 1: its postings do not sum to zero'])
})

test('an entry that is gone', async () => {
  tamper((db) => db.run('DELETE FROM entry'))
  expect(await faults()).toEqual(['account acc_1: its balance is 999400, its entries sum to -600'])
})

test('a request that is settled twice', async () => {
  tamper((db) => {
    redefine(db, 'settlement', 'request_id TEXT NOT NULL UNIQUE', 'request_id TEXT NOT NULL')
    db.run("UPDATE settlement SET request_id = 'req_1'")
  })
  expect(await faults()).toEqual(['request req_1: it is settled 2 times'])
})

test('an account that does not exist', async () => {
  tamper((db) => db.run("UPDATE entry SET account_id = 'acc_lost'"))
  expect(await faults()).toEqual([
    'account acc_1: its balance is 999400, its entries sum to -600',
    'account acc_lost: it has entries, but does not exist',
  ])
})

test('an open hold of a dead epoch', async () => {
  tamper((db) => {
    db.run('INSERT INTO epoch (number, started_at_ms) VALUES (0, 0)')
    db.run('UPDATE hold SET epoch = 0')
  })
  expect(await faults()).toEqual(['hold req_open: its process is gone, and it is open'])
})

test('an open hold of a settled request', async () => {
  tamper((db) => db.run("UPDATE hold SET request_id = 'req_2'"))
  expect(await faults()).toEqual(['hold req_2: its request is settled, and it is open'])
})

test('records that are ahead of the ledger', async () => {
  const records = kit.raw('records.db')
  const watermark = async () => records.query('SELECT settlement_seq AS seq FROM follower').get()
  await until(watermark, (row) => Bun.deepEquals(row, { seq: 2 })) // else the follower would write over it
  records.close()
  tamper((db) => db.run('UPDATE follower SET settlement_seq = 9'), 'records.db')
  expect(await faults()).toEqual(['the records have followed to settlement 9, but the last one is 2'])
})

test('a fault on any page is found', async () => {
  const ids = Array.from({ length: 2500 }, (_, at) => `req_many_${at}`)
  await Promise.all(ids.map((id) => kit.store.writer.settle(settled(id, 1))))
  tamper((db) => db.run('UPDATE settlement SET cost = 2 WHERE seq IN (1500, 2502)'))
  expect(await faults()).toEqual([
    'settlement 1500: its postings do not sum to zero',
    'settlement 2502: its postings do not sum to zero',
  ])
})
