import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writableConnection } from '../../../src/store/sqlite/connection.ts'
import { MigrationError, migrate } from '../../../src/store/sqlite/migrate.ts'
import { tempFolder } from './store-kit.ts'

let root = ''
let db: Database
const FIRST = 'CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;'
const SECOND = "ALTER TABLE thing ADD COLUMN size INTEGER NOT NULL DEFAULT 7; UPDATE thing SET name = name || '!';"

beforeEach(() => {
  root = tempFolder()
  mkdirSync(join(root, 'sql'))
  db = writableConnection(join(root, 'a.db'), 'FULL')
})

afterEach(() => {
  db.close()
  rmSync(root, { recursive: true, force: true })
})

const file = (name: string, sql: string) => writeFileSync(join(root, 'sql', name), sql)
const run = (wallMs = 1) => migrate({ db, path: join(root, 'a.db'), folder: join(root, 'sql'), wallMs })
const copies = () =>
  readdirSync(root)
    .filter((name) => name.includes('.before-'))
    .sort()
const version = () => db.query('PRAGMA user_version').get()

describe('migrate', () => {
  test('brings an empty database to the newest version, without a copy', () => {
    file('0001-first.sql', FIRST)
    file('0002-second.sql', SECOND)
    expect(run()).toEqual({ from: 0, to: 2, copy: null })
    expect(version()).toEqual({ user_version: 2 })
    expect(run()).toEqual({ from: 2, to: 2, copy: null })
  })

  test('changes a filled older database and keeps a copy of it as it was', () => {
    file('0001-first.sql', FIRST)
    run()
    db.run("INSERT INTO thing (id, name) VALUES (1, 'one'), (2, 'two')")
    file('0002-second.sql', SECOND)
    const { copy } = run()
    expect(db.query('SELECT * FROM thing ORDER BY id').all()).toEqual([
      { id: 1, name: 'one!', size: 7 },
      { id: 2, name: 'two!', size: 7 },
    ])
    expect(copy).toBe(join(root, 'a.before-0002-19700101T000000001Z.db'))
    const before = new Database(copy ?? '', { readonly: true })
    expect(before.query('SELECT * FROM thing WHERE id = 1').all()).toEqual([{ id: 1, name: 'one' }])
    expect(before.query('PRAGMA user_version').get()).toEqual({ user_version: 1 })
    before.close()
  })

  test('refuses a file that was changed after it was applied', () => {
    file('0001-first.sql', FIRST)
    run()
    file('0001-first.sql', `${FIRST} -- edited`)
    expect(run).toThrow(MigrationError)
    expect(run).toThrow('migration 1 was applied as 0001-first.sql, and is another file now')
  })

  test('takes a checkout with other line ends for the same file', () => {
    file('0001-first.sql', `${FIRST}\n-- end\n`)
    run()
    file('0001-first.sql', `${FIRST}\r\n-- end\r\n`)
    expect(run()).toEqual({ from: 1, to: 1, copy: null })
  })

  test('refuses an older migration that came late', () => {
    file('0001-first.sql', FIRST)
    file('0002-second.sql', SECOND)
    run()
    rmSync(join(root, 'sql', '0002-second.sql'))
    file('0002-late.sql', 'CREATE TABLE late (id INTEGER) STRICT;')
    file('0003-second.sql', SECOND)
    expect(run).toThrow('migration 2 was applied as 0002-second.sql, and is another file now (0002-late.sql)')
    expect(version()).toEqual({ user_version: 2 })
  })

  test('refuses a gap, two of one number, and a name without a number', () => {
    file('0001-first.sql', FIRST)
    file('0003-third.sql', SECOND)
    expect(run).toThrow('without a gap: 0003-third.sql')
    file('0001-again.sql', SECOND)
    expect(run).toThrow('without a gap: 0001-first.sql')
    rmSync(join(root, 'sql', '0001-again.sql'))
    rmSync(join(root, 'sql', '0003-third.sql'))
    file('second.sql', SECOND)
    expect(run).toThrow('without a gap: second.sql')
  })

  test('refuses a database of a newer program', () => {
    file('0001-first.sql', FIRST)
    file('0002-second.sql', SECOND)
    run()
    rmSync(join(root, 'sql', '0002-second.sql'))
    expect(run).toThrow('a newer anyrouter wrote it')
  })

  test('undoes a migration that fails, and succeeds when it is mended', () => {
    file('0001-first.sql', FIRST)
    run()
    db.run("INSERT INTO thing (id, name) VALUES (1, 'one')")
    file('0002-second.sql', 'ALTER TABLE thing ADD COLUMN extra TEXT; SELECT * FROM nowhere;')
    expect(run).toThrow('migration 0002-second.sql failed')
    expect(db.query('SELECT * FROM thing').all()).toEqual([{ id: 1, name: 'one' }])
    file('0002-second.sql', SECOND)
    expect(run().to).toBe(2)
  })

  test('leaves the old program its database when it fails, however often, with one copy of it', () => {
    file('0001-first.sql', FIRST)
    run()
    db.run("INSERT INTO thing (id, name) VALUES (1, 'one')")
    file('0002-second.sql', `${SECOND} SELECT * FROM nowhere;`)
    for (const wallMs of [1000, 2000, 3000]) expect(() => run(wallMs)).toThrow('migration 0002-second.sql failed')
    expect(copies()).toEqual(['a.before-0002-19700101T000003000Z.db'])
    rmSync(join(root, 'sql', '0002-second.sql'))
    for (const name of ['a.db', 'a.before-0002-19700101T000003000Z.db']) {
      const old = writableConnection(join(root, name), 'FULL')
      expect(migrate({ db: old, path: join(root, name), folder: join(root, 'sql'), wallMs: 4 })).toEqual({
        from: 1,
        to: 1,
        copy: null,
      })
      old.run("INSERT INTO thing (id, name) VALUES (2, 'two')")
      expect(old.query('SELECT name FROM thing ORDER BY id').values()).toEqual([['one'], ['two']])
      old.close()
    }
  })

  test('a copy that is not made to its end takes no room: neither now nor from the time before', () => {
    file('0001-first.sql', FIRST)
    run()
    db.run(`INSERT INTO thing (name) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      SELECT 'a name of some length, number ' || i FROM n`)
    db.close() // brings the log into the file
    const whole = readFileSync(join(root, 'a.db'))
    const torn = Buffer.from(whole)
    torn.fill(0xff, torn.length / 2, torn.length / 2 + 4096)
    writeFileSync(join(root, 'a.db'), torn)
    db = writableConnection(join(root, 'a.db'), 'FULL')
    for (const end of ['', '-journal'])
      writeFileSync(join(root, `a.before-0002-19700101T000000500Z.db.unfinished${end}`), 'of a process that died')
    file('0002-second.sql', SECOND)
    expect(() => run(1000)).toThrow(`${join(root, 'a.db')} cannot be copied: SQLITE_CORRUPT`)
    expect(copies()).toEqual([])
  })

  test('keeps three copies, of the newest versions', () => {
    file('0001-first.sql', FIRST)
    run()
    for (let number = 2; number <= 6; number++) {
      file(`000${number}-more.sql`, `CREATE TABLE more_${number} (id INTEGER) STRICT;`)
      run(number * 1000)
    }
    expect(copies()).toEqual([4, 5, 6].map((number) => `a.before-000${number}-19700101T00000${number}000Z.db`))
  })

  test('refuses a migration that leaves rows which refer to nothing', () => {
    file('0001-first.sql', `${FIRST} CREATE TABLE part (thing INTEGER REFERENCES thing (id)) STRICT;`)
    run()
    db.run("INSERT INTO thing (id, name) VALUES (1, 'one')")
    db.run('INSERT INTO part (thing) VALUES (1)')
    file('0002-second.sql', 'DELETE FROM thing;')
    expect(run).toThrow('rows of part refer to nothing')
    expect(db.query('SELECT count(*) AS n FROM thing').get()).toEqual({ n: 1 })
    expect(db.query('PRAGMA foreign_keys').get()).toEqual({ foreign_keys: 1 })
  })
})
