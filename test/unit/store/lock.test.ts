import { afterEach, beforeEach, expect, test } from 'bun:test'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { FolderLocked } from '../../../src/store/index.ts'
import { lockFolder } from '../../../src/store/sqlite/lock.ts'
import { kill, storeChild } from './process-kit.ts'
import { storeKit, tempFolder } from './store-kit.ts'

let folder = ''
beforeEach(() => {
  folder = tempFolder()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a folder has one holder; freed, it can be taken again', () => {
  const unlock = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(FolderLocked)
  Bun.gc(true)
  expect(() => lockFolder(folder)).toThrow(FolderLocked)
  unlock()
  unlock()
  lockFolder(folder)()
})

test('a second process is refused, with the folder in the message, and nothing is done', async () => {
  const kit = await storeKit({ dataFolder: folder })
  const { child, line } = await storeChild(folder, 'open')
  expect(line).toBe(`locked: ${folder}`)
  expect(await child.exited).toBe(2)
  expect((await kit.reopen()).recovery.epoch).toBe(2) // the refused one began no epoch
  await kit.store.close()
})

test('a killed process leaves no lock', async () => {
  const { child, line } = await storeChild(folder, 'open')
  expect(line).toBe('ready')
  expect(() => lockFolder(folder)).toThrow(FolderLocked)
  await kill(child)
  lockFolder(folder)()
})

test('the folder and the files are for their owner alone', async () => {
  const inner = join(folder, 'made')
  const kit = await storeKit({ dataFolder: inner })
  const mode = (path: string) => statSync(path).mode & 0o777
  expect(mode(inner)).toBe(0o700)
  for (const file of ['lock.db', 'ledger.db', 'ledger.db-wal', 'records.db'])
    expect(mode(join(inner, file))).toBe(0o600)
  await kit.store.close()
})
