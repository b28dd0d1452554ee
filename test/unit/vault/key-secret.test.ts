import { expect, test } from 'bun:test'
import { systemRandom } from '../../../src/lib/index.ts'
import { hashKey, keyPrefix, newKeySecret } from '../../../src/vault/index.ts'

test('a new secret is sk-ar-v1- and 43 characters of base62, another each time', () => {
  const secrets = Array.from({ length: 200 }, () => newKeySecret(systemRandom()))
  for (const secret of secrets) expect(secret).toMatch(/^sk-ar-v1-[0-9A-Za-z]{43}$/)
  expect(new Set(secrets).size).toBe(200)
})

test('the hash is SHA-256 in hex', () => {
  // the test vector of FIPS 180-4 for "abc"
  expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('a prefix tells keys apart and is never more than a third of the secret', () => {
  const secret = `sk-ar-v1-${'abcdefg'.repeat(7).slice(0, 43)}`
  expect(keyPrefix(secret)).toBe('sk-ar-v1-abcd')
  expect(keyPrefix('sk-ar-v1-demo')).toBe('sk-a')
  expect(keyPrefix('')).toBe('')
})
