import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { moveFolder } from '../../../src/store/move-folder.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** What the system says of a place on another disk. */
function toAnotherDisk(): never {
  throw Object.assign(new Error('EXDEV: cross-device link not permitted'), { code: 'EXDEV' })
}

function ground() {
  const home = temporaryFolder()
  const from = home.at('from')
  mkdirSync(from, { mode: 0o700 })
  writeFileSync(join(from, 'ledger.db'), 'ledger', { mode: 0o600 })
  writeFileSync(join(from, 'records.db'), 'records', { mode: 0o600 })
  return { home: home.path, from, to: home.at('to'), [Symbol.dispose]: () => home[Symbol.dispose]() }
}

test.each([
  ['on the same disk', undefined],
  ['to another disk', toAnotherDisk],
])('%s it is there, whole, for its owner alone, and nowhere else', (_where, rename) => {
  using place = ground()
  moveFolder(place.from, place.to, rename)
  expect(readdirSync(place.home)).toEqual(['to'])
  expect(readdirSync(place.to).sort()).toEqual(['ledger.db', 'records.db'])
  expect(readFileSync(join(place.to, 'ledger.db'), 'utf8')).toBe('ledger')
  expect(statSync(place.to).mode & 0o777).toBe(0o700)
  expect(statSync(join(place.to, 'records.db')).mode & 0o777).toBe(0o600)
})

test('what breaks off on the way leaves it where it was, and nothing else', () => {
  using place = ground()
  mkdirSync(join(place.from, 'folder')) // cannot be copied as a file
  expect(() => moveFolder(place.from, place.to, toAnotherDisk)).toThrow()
  expect(readdirSync(place.home)).toEqual(['from'])
  expect(() => moveFolder(place.from, join(place.home, 'none', 'to'))).toThrow('ENOENT')
  expect(existsSync(join(place.from, 'ledger.db'))).toBe(true)
})
