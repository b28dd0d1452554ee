import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createVault, VaultError } from '../../src/vault/index.ts'
import { seededRandom } from '../support/house.ts'
import { oneKey } from '../support/vault.ts'

const numRuns = Number(process.env.ANYROUTER_RUNS ?? 100)

const keys = fc.uint8Array({ minLength: 32, maxLength: 32 })
const owners = fc.record({ rowId: fc.string(), accountId: fc.string() })
/** Well-formed text: what JSON bodies and files are decoded to. */
const secrets = fc.string({ unit: 'binary', maxLength: 300 })

test('any secret comes back from any key and owner', () => {
  fc.assert(
    fc.property(keys, owners, secrets, fc.integer(), (key, owner, secret, seed) => {
      const vault = createVault(oneKey(key), seededRandom(seed))
      expect(vault.open(vault.seal(secret, owner), owner)).toBe(secret)
    }),
    { numRuns },
  )
})

test('a single flipped bit anywhere, or any other owner, and it does not open', () => {
  fc.assert(
    fc.property(keys, owners, owners, secrets, fc.nat(), fc.nat(7), (key, owner, other, secret, at, bit) => {
      const vault = createVault(oneKey(key), seededRandom(1))
      const sealed = vault.seal(secret, owner)
      const bytes = Buffer.from(sealed, 'base64')
      const index = at % bytes.length
      bytes[index] = (bytes[index] ?? 0) ^ (1 << bit)
      expect(() => vault.open(bytes.toString('base64'), owner)).toThrow(VaultError)
      if (owner.rowId !== other.rowId || owner.accountId !== other.accountId)
        expect(() => vault.open(sealed, other)).toThrow(VaultError)
    }),
    { numRuns },
  )
})
