import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../../..')
const WRITERS = [
  'ledger-file.ts',
  'records-file.ts',
  'apply-batch.ts',
  'apply-settlements.ts',
  'recover.ts',
  'migrate.ts',
]

// `db.transaction(async …)` commits at the first `await`, and undoes nothing of what comes after it.
test('no promise is waited for inside of a transaction: what writes has none, and nothing calls `transaction`', () => {
  const files = [...new Bun.Glob('src/**/*.ts').scanSync({ cwd: ROOT })]
  const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
  expect(files.filter((file) => read(file).includes('.transaction('))).toEqual([])
  const writers = files.filter((file) => /-commands\.ts$/.test(file) && file.startsWith('src/store/sqlite/'))
  expect(writers.length).toBeGreaterThan(3)
  const all = [...writers, ...WRITERS.map((name) => `src/store/sqlite/${name}`)]
  const waiting = all.filter(
    (file) =>
      !file.endsWith('writer-commands.ts') &&
      /\b(async|await)\b/.test(read(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')),
  )
  expect(waiting).toEqual([])
})
