import type { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { getTableName } from 'drizzle-orm'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { attempt, content, request } from '../../../src/store/sqlite/records-schema.ts'
import * as tables from '../../../src/store/sqlite/schema.ts'
import * as webhookTables from '../../../src/store/sqlite/webhook-schema.ts'
import { fundedAccount, holdOf, type StoreKit, settled, storeKit } from './store-kit.ts'

let kit: StoreKit
let ledger: Database
beforeEach(async () => {
  kit = await storeKit()
  await fundedAccount(kit.store)
  await kit.store.writer.hold(holdOf('req_open'))
  await kit.store.writer.settle(settled('req_1'))
  ledger = kit.raw()
  ledger.run('PRAGMA foreign_keys = ON')
})
afterEach(async () => {
  ledger.close()
  await kit.end()
})

describe('the ledger is append-only', () => {
  for (const [sql, words] of [
    ['UPDATE settlement SET ended_at_ms = 1', 'settlements are append-only'],
    ['DELETE FROM settlement', 'settlements are append-only'],
    ['UPDATE entry SET note = NULL', 'entries are append-only'],
    ['DELETE FROM entry WHERE seq = 1', 'entries are append-only'],
  ] as const) {
    test(sql, () => {
      expect(() => ledger.run(sql)).toThrow(words)
    })
  }
})

describe('the tables refuse', () => {
  const copy = (changes: Record<string, string>) => {
    const columns = ledger
      .query<{ name: string }, []>('PRAGMA table_info(settlement)')
      .all()
      .map(({ name }) => name)
    const values = columns.map(
      (name) => changes[name] ?? (name === 'seq' ? 'NULL' : name === 'request_id' ? "'req_2'" : name),
    )
    return `INSERT INTO settlement (${columns.join(', ')}) SELECT ${values.join(', ')} FROM settlement WHERE seq = 1`
  }

  test('nothing of a sound row', () => {
    expect(ledger.run(copy({})).changes).toBe(1)
  })

  for (const [what, changes] of [
    ['postings that do not sum to zero', { charged: '299' }],
    ['an overrun that nothing explains', { overrun: '1' }],
    ['a void that costs', { ending: "'voided'" }],
    ['another ending', { ending: "'lost'" }],
    ['an unknown account', { account_id: "'acc_none'" }],
    ['an unknown key', { key_id: "'key_none'" }],
    ['a request settled before', { request_id: "'req_1'" }],
    ['negative units', { units_output: '-1' }],
    ['an amount that is no integer', { cost: '0.5', charged: '0.5' }],
    ['an amount beyond 2^53 - 1', { cost: '9007199254740992', charged: '9007199254740992' }],
    ['prices that are no JSON', { prices: "'{'" }],
    ['an offer without prices', { prices: 'NULL' }],
  ] as const) {
    test(`a settlement with ${what}`, () => {
      expect(() => ledger.run(copy(changes))).toThrow(/constraint failed|cannot store REAL|malformed JSON/)
    })
  }

  test('a balance beyond 2^53 - 1, on either side', () => {
    for (const balance of ['9007199254740992', '-9007199254740992']) {
      expect(() => ledger.run(`UPDATE account SET balance = ${balance}`)).toThrow('CHECK constraint failed')
    }
  })

  test('two keys of one hash, and two accounts of one name', () => {
    expect(() =>
      ledger.run(
        `INSERT INTO key (id, account_id, name, hash, prefix, created_at_ms) SELECT 'key_2', account_id, name, hash, prefix, 1 FROM key`,
      ),
    ).toThrow('UNIQUE constraint failed: key.hash')
    expect(() =>
      ledger.run(`INSERT INTO account (id, name, kind, created_at_ms) SELECT 'acc_2', name, kind, 1 FROM account`),
    ).toThrow('UNIQUE constraint failed: account.name')
  })

  test('half a checkpoint, and a negative hold', () => {
    expect(() => ledger.run('UPDATE hold SET checkpoint_units = 1')).toThrow('CHECK constraint failed')
    expect(() => ledger.run('UPDATE hold SET amount = -1')).toThrow('CHECK constraint failed')
  })
})

describe('the files', () => {
  test('have the columns that reads expect, as strict tables', () => {
    const records = kit.raw('records.db')
    const inRecords = new Set<SQLiteTable>([request, attempt, content])
    for (const table of [...Object.values(tables), ...Object.values(webhookTables), request, attempt, content]) {
      const db = inRecords.has(table) ? records : ledger
      const name = getTableName(table)
      const stored = db.query<{ name: string; notnull: number; pk: number }, []>(`PRAGMA table_info(${name})`).all()
      const isNotNull = ({ notnull, pk }: { notnull: number; pk: number }) => notnull === 1 || pk > 0
      const expected = getTableConfig(table).columns.map((column) => ({
        name: column.name,
        notNull: column.notNull || column.primary,
      }))
      expect(stored.map((column) => ({ name: column.name, notNull: isNotNull(column) }))).toEqual(expected)
    }
    for (const db of [ledger, records]) {
      const loose = db.query(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 0 AND name NOT LIKE 'sqlite_%'",
      )
      expect(loose.all()).toEqual([])
    }
    records.close()
  })
})
