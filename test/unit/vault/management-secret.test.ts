import { expect, test } from 'bun:test'
import { isManagementSecret, managementPrefix, newKeySecret, newManagementSecret } from '../../../src/vault/index.ts'
import { seededRandom } from '../../support/house.ts'

test('a management secret is told from every other, and its beginning tells it from its like', () => {
  const random = seededRandom()
  const [one, other] = [newManagementSecret(random), newManagementSecret(random)]
  expect(one).toMatch(/^ak_[0-9A-Za-z]{43}$/)
  expect(one).not.toBe(other)
  expect(managementPrefix(one)).toBe(one.slice(0, 7))
  expect([one, newKeySecret(random), 'AK_x', ''].map(isManagementSecret)).toEqual([true, false, false, false])
})
