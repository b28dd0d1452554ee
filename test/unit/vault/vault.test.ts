import { expect, test } from 'bun:test'
import { systemRandom } from '../../../src/lib/index.ts'
import { createVault, VaultError } from '../../../src/vault/index.ts'
import { seededRandom } from '../../support/house.ts'
import { oneKey } from '../../support/vault.ts'

const keyOf = (fill: number) => oneKey(new Uint8Array(32).fill(fill))
const vault = createVault(keyOf(1), systemRandom())
const OWNER = { rowId: 'cred_1', accountId: 'acc_1' }
const SECRET = 'sk-provider-canary-0123456789'

test('what was sealed opens, and is never sealed the same twice', () => {
  const sealed = Array.from({ length: 100 }, () => vault.seal(SECRET, OWNER))
  expect(new Set(sealed).size).toBe(100)
  for (const one of sealed) {
    expect(vault.open(one, OWNER)).toBe(SECRET)
    expect(Buffer.from(one, 'base64').toString('latin1')).not.toContain('canary')
    expect(Buffer.from(one, 'base64')[0]).toBe(1)
  }
})

test('the nonce comes from the given chance', () => {
  const seeded = createVault(keyOf(1), seededRandom(3))
  const nonce = Buffer.from(seeded.seal(SECRET, OWNER), 'base64').subarray(1, 13)
  expect([...nonce]).toEqual([...seededRandom(3).bytes(12)])
})

test('another row, another account, another key: none opens it', () => {
  const sealed = vault.seal(SECRET, OWNER)
  for (const open of [
    () => vault.open(sealed, { ...OWNER, rowId: 'cred_2' }),
    () => vault.open(sealed, { ...OWNER, accountId: 'acc_2' }),
    () => createVault(keyOf(2), systemRandom()).open(sealed, OWNER),
  ]) {
    expect(open).toThrow(VaultError)
    expect(open).toThrow('was sealed with another master key')
  }
})

test('ids that read the same one after the other are kept apart', () => {
  const sealed = vault.seal(SECRET, { rowId: 'a', accountId: 'b","c' })
  expect(() => vault.open(sealed, { rowId: 'a","b', accountId: 'c' })).toThrow(VaultError)
})

test.each([
  ['nothing', ''],
  ['no base64', '!!!'],
  ['too short', Buffer.from(new Uint8Array(28)).toString('base64')],
])('%s is damaged', (_what, sealed) => {
  expect(() => vault.open(sealed, OWNER)).toThrow('is damaged')
})

test('a key that is not there is told by its number', () => {
  const bytes = Buffer.from(vault.seal(SECRET, OWNER), 'base64')
  bytes[0] = 2
  expect(() => vault.open(bytes.toString('base64'), OWNER)).toThrow('was sealed with master key 2, which is not there')
})

test('what an older key sealed opens as long as that is there, and is told apart', () => {
  const keys = { newest: 2, keyOf: (number: number) => keyOf(number).keyOf(1) }
  const later = createVault(keys, systemRandom())
  const old = vault.seal(SECRET, OWNER)
  expect([later.open(old, OWNER), later.isOutdated(old)]).toEqual([SECRET, true])
  const fresh = later.seal(SECRET, OWNER)
  expect([later.open(fresh, OWNER), later.isOutdated(fresh)]).toEqual([SECRET, false])
  expect(() => vault.open(fresh, OWNER)).toThrow(VaultError)
})
