import { expect, test } from 'bun:test'
import { clientAddress } from '../../../src/http/client-address.ts'
import { type AddressRange, parseAddressRange } from '../../../src/lib/index.ts'

const ranges = (...texts: string[]): AddressRange[] =>
  texts.flatMap((text) => {
    const range = parseAddressRange(text)
    return range === null ? [] : [range]
  })

const PROXIES = ranges('127.0.0.1', '::1', '10.0.0.0/8')

test.each([
  // what a caller writes is not believed
  ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['203.0.113.9', null, '203.0.113.9'],
  // one proxy, two proxies
  ['127.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['127.0.0.1', '198.51.100.1, 10.0.0.7', '198.51.100.1'],
  ['::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['::1', '2001:DB8::5', '2001:db8::5'],
  // the caller's own words stand left of the proxy's
  ['127.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
  ['127.0.0.1', '10.9.9.9, 198.51.100.1 ,10.0.0.7', '198.51.100.1'],
  // inside one's own network
  ['127.0.0.1', '10.0.0.5, 10.0.0.7', '10.0.0.5'],
  ['127.0.0.1', null, '127.0.0.1'],
  ['127.0.0.1', '', '127.0.0.1'],
  // ports, and what cannot be read
  ['127.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
  ['127.0.0.1', '[2001:db8::5]:4711', '2001:db8::5'],
  ['127.0.0.1', '[2001:db8::5]', '2001:db8::5'],
  ['127.0.0.1', '198.51.100.1, unknown, 10.0.0.7', '10.0.0.7'],
  ['127.0.0.1', '198.51.100.1, unknown', '127.0.0.1'],
])('%p forwards %p: %p', (peer, forwardedFor, expected) => {
  expect(clientAddress(peer, forwardedFor, PROXIES)).toBe(expected)
})

test('without trusted proxies the header says nothing', () => {
  expect(clientAddress('127.0.0.1', '198.51.100.1', [])).toBe('127.0.0.1')
})

test('a connection that is gone has no address', () => {
  expect(clientAddress(null, '198.51.100.1', PROXIES)).toBeNull()
})
