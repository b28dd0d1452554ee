import { expect, test } from 'bun:test'
import { createAddressLists } from '../../../src/accounts/address-lists.ts'

const allows = createAddressLists()
const LIST = ['10.0.0.0/8', '203.0.113.7', '2001:db8::/32']

test.each([
  ['10.255.0.1', true],
  ['::ffff:10.1.2.3', true],
  ['11.0.0.1', false],
  ['203.0.113.7', true],
  ['203.0.113.8', false],
  ['2001:db8:1::9', true],
  ['2001:db9::1', false],
  ['not an address', false],
  [null, false],
])('%p: %p', (address, expected) => {
  expect(allows(LIST, address)).toBe(expected)
  expect(allows(LIST, address)).toBe(expected)
})

test('a list that is written wrongly allows nothing', () => {
  expect(allows(['everywhere'], '10.0.0.1')).toBe(false)
})
