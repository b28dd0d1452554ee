import { expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writableConnection } from '../../../src/store/sqlite/connection.ts'
import { copyDatabase } from '../../../src/store/sqlite/copy-database.ts'
import { usedBytes } from '../../../src/store/sqlite/used-bytes.ts'
import { tempFolder } from './store-kit.ts'

test('a copy is begun where there is room for all of it alone', () => {
  const folder = tempFolder()
  const path = join(folder, 'a.db')
  const db = writableConnection(path, 'FULL')
  db.run('CREATE TABLE thing (name TEXT NOT NULL) STRICT')
  db.run(`INSERT INTO thing WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
    SELECT 'a name of some length, number ' || i FROM n`) // all of it in the log still
  const needed = usedBytes(db)
  const copy = (freeBytes: number) => copyDatabase(path, join(folder, 'copy.db'), () => freeBytes)
  expect(() => copy(needed - 1)).toThrow(`${path} cannot be copied: it takes 2.2 MB, and there is room for 2.2 MB`)
  expect(readdirSync(folder)).not.toContain('copy.db')
  expect(copy(needed)).toBeLessThanOrEqual(needed)
  expect(readdirSync(folder)).toContain('copy.db')
  db.close()
  rmSync(folder, { recursive: true })
})
