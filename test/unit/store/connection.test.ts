import { afterEach, beforeEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readableConnection, rollBack, writableConnection } from '../../../src/store/sqlite/connection.ts'
import { tempFolder } from './store-kit.ts'

let folder = ''
beforeEach(() => {
  folder = tempFolder()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('the ledger waits for the disk at each commit, the records at checkpoints', () => {
  for (const [mode, value] of [
    ['FULL', 2],
    ['NORMAL', 1],
  ] as const) {
    const db = writableConnection(join(folder, `${mode}.db`), mode)
    expect(db.query('PRAGMA synchronous').get()).toEqual({ synchronous: value })
    expect(db.query('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    expect(db.query('PRAGMA foreign_keys').get()).toEqual({ foreign_keys: 1 })
    db.close()
  }
})

test('a connection for reading sees commits at once and cannot write', () => {
  const path = join(folder, 'a.db')
  const db = writableConnection(path, 'FULL')
  db.run('CREATE TABLE t (a INTEGER) STRICT')
  const reading = readableConnection(path)
  db.run('INSERT INTO t VALUES (1)')
  expect(reading.query('SELECT a FROM t').all()).toEqual([{ a: 1 }])
  expect(() => reading.run('INSERT INTO t VALUES (2)')).toThrow('readonly')
  reading.close()
  db.close()
})

test('rolling back without a transaction is nothing', () => {
  const db = writableConnection(join(folder, 'a.db'), 'FULL')
  rollBack(db)
  db.run('BEGIN')
  rollBack(db)
  expect(db.inTransaction).toBe(false)
  db.close()
})
