import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { KeyObject } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Random, systemRandom } from '../../../src/lib/index.ts'
import { MASTER_KEY_FILE, MasterKeyError, type MasterKeys, openMasterKey } from '../../../src/vault/index.ts'
import { seededRandom } from '../../support/house.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'

let home: TemporaryFolder
let folder: string
let path: string
beforeEach(() => {
  home = temporaryFolder()
  folder = home.path
  path = join(folder, MASTER_KEY_FILE)
})
afterEach(() => home[Symbol.dispose]())

/** The one that seals now. */
function keyIn(random: Random): KeyObject {
  const keys = openMasterKey(folder, random)
  const key = keys.keyOf(keys.newest)
  if (key === undefined) throw new Error('no newest key')
  return key
}

const complaint = (): string => {
  try {
    openMasterKey(folder, systemRandom())
  } catch (error) {
    if (error instanceof MasterKeyError) return error.message
    throw error
  }
  throw new Error('the key was taken')
}

test('the first start makes 32 bytes of the given chance, 0600, and leaves nothing else behind', () => {
  const key = keyIn(seededRandom(7))
  expect(readdirSync(folder)).toEqual([MASTER_KEY_FILE])
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect([...readFileSync(path)]).toEqual([...seededRandom(7).bytes(32)])
  expect([...key.export()]).toEqual([...seededRandom(7).bytes(32)])
})

test('a later start takes the same key, and changes nothing', () => {
  const first = keyIn(systemRandom()).export()
  const { mtimeMs } = statSync(path)
  expect(keyIn(systemRandom()).export()).toEqual(first)
  expect(statSync(path).mtimeMs).toBe(mtimeMs)
})

test('what a crash left half made is no key, and in nobody’s way', () => {
  writeFileSync(`${path}.new`, 'half')
  expect(keyIn(systemRandom()).export()).toHaveLength(32)
  expect(readdirSync(folder)).toEqual([MASTER_KEY_FILE])
})

describe('refused, in words that say what to do and hold nothing of the key', () => {
  test.each([0o640, 0o604, 0o660, 0o644, 0o601])('mode %o', (mode) => {
    openMasterKey(folder, systemRandom())
    const bytes = readFileSync(path)
    chmodSync(path, mode)
    const words = complaint()
    expect(words).toContain(`is open to others (mode 0${mode.toString(8)})`)
    expect(words).toContain(`chmod 600 ${path}`)
    expect(words).not.toContain(bytes.toString('hex'))
    expect(readFileSync(path)).toEqual(bytes)
  })

  test.each([0, 31, 33, 64])('%d bytes', (size) => {
    writeFileSync(path, new Uint8Array(size).fill(65), { mode: 0o600 })
    const words = complaint()
    expect(words).toContain(`${size} bytes instead of 32`)
    expect(words).not.toContain('AAAA')
    expect(statSync(path).size).toBe(size) // never overwritten: it may still be somebody's key
  })

  test('a folder of that name', () => {
    mkdirSync(path, { mode: 0o700 })
    expect(complaint()).toContain(path)
  })
})

test('a key that is printed shows nothing', () => {
  const key = keyIn(systemRandom())
  const hex = key.export().toString('hex')
  const shown = `${Bun.inspect(key)} ${JSON.stringify({ key })} ${key}`
  expect(shown).not.toContain(hex)
  expect(shown).not.toContain(key.export().toString('base64'))
})

describe('a rotation', () => {
  const shown = (keys: MasterKeys): (string | undefined)[] =>
    [1, 2, 3].map((number) => keys.keyOf(number)?.export().toString('hex'))

  test('makes a second key, and both are there until it is finished, through restarts', () => {
    const keys = openMasterKey(folder, systemRandom())
    const [first] = shown(keys)
    keys.begin()
    const [, second] = shown(keys)
    expect(keys.newest).toBe(2)
    expect(shown(keys)).toEqual([first, second, undefined])
    expect(second).not.toBe(first)
    const again = openMasterKey(folder, systemRandom())
    expect([again.newest, ...shown(again)]).toEqual([2, first, second, undefined])
    again.begin() // goes on with the key that was made
    expect([again.newest, ...shown(again)]).toEqual([2, first, second, undefined])
    again.finish()
    expect(shown(again)).toEqual([undefined, second, undefined])
    expect(shown(openMasterKey(folder, systemRandom()))).toEqual([undefined, second, undefined])
    expect(readdirSync(folder)).toEqual([MASTER_KEY_FILE])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('that was never begun is finished at once; numbers begin anew after 255', () => {
    const keys = openMasterKey(folder, systemRandom())
    keys.finish()
    expect(statSync(path).size).toBe(32)
    for (let round = 0; round < 255; round++) {
      keys.begin()
      keys.finish()
    }
    expect(keys.newest).toBe(1)
    expect(openMasterKey(folder, systemRandom()).newest).toBe(1)
  })

  test.each([37, 70])('%d bytes that are no keys are refused', (size) => {
    writeFileSync(path, new Uint8Array(size).fill(65), { mode: 0o600 })
    expect(complaint()).toContain('is no key')
  })
})
