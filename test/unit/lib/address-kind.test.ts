import { describe, expect, test } from 'bun:test'
import { addressKind, innerAddress, isLoopback } from '../../../src/lib/index.ts'

/** Notations of one address each, by what they are good for. */
const TABLE: Readonly<Record<string, readonly string[]>> = {
  public: [
    '1.1.1.1',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '100.63.255.255',
    '100.128.0.0',
    '169.253.255.255',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450:4001::1',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
  ],
  private: [
    '127.0.0.1', // loopback
    '127.255.255.254',
    '::1',
    '::ffff:127.0.0.1', // mapped
    '0:0:0:0:0:ffff:7f00:1',
    '::127.0.0.1', // compatible
    '::7f00:1',
    '::ffff:0:127.0.0.1', // translated
    '10.0.0.0', // RFC 1918
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '100.64.0.1', // shared by customers of a carrier
    '100.127.255.255',
    '169.254.0.1', // link-local
    'fe80::1',
    'febf::1',
    'fec0::1', // site-local
    'fc00::1', // unique local
    'fd12:3456::1',
    '64:ff9b::a00:1', // NAT64
    '64:ff9b::808:808',
    '64:ff9b:1::a00:1',
    '2002:a00:1::', // 6to4
    '2002:7f00:1::1',
    '2002:808:808::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2', // Teredo
    '192.0.0.1', // IETF protocols
    '192.0.2.1', // documentation
    '198.51.100.1',
    '203.0.113.1',
    '2001:db8::1',
    '3fff::1',
    '198.18.0.1', // benchmarks
    '198.19.255.255',
    '192.88.99.1', // 6to4 relays
    '192.31.196.1', // AS112
    '240.0.0.1', // reserved
    '255.255.255.254',
    '4000::1',
    '5f00::1', // segment routing
    '2001:10::1', // ORCHID
    '2001:20::1',
  ],
  never: [
    '0.0.0.0',
    '0.1.2.3',
    '::',
    '::ffff:0.0.0.0',
    '255.255.255.255',
    '224.0.0.1',
    '239.255.255.255',
    'ff02::1',
    'ff0e::1',
    '100::1', // discarded
    '169.254.169.254', // credentials of the machine
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::169.254.169.254',
    '64:ff9b::169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '169.254.170.2',
    'fd00:ec2::254',
    'fd20:ce::254',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
  ],
}

describe('addressKind', () => {
  const rows = Object.entries(TABLE).flatMap(([kind, texts]) => texts.map((text) => [text, kind] as const))
  test.each(rows)('%s is %s', (text, kind) => {
    expect<string | null>(addressKind(text)).toBe(kind)
    expect<string | null>(addressKind(text.toUpperCase())).toBe(kind)
  })

  test.each([
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '017700000001',
    '0177.0.0.1',
    '127.1',
    '127.0.1',
    '10.0.0.01',
    '10.0.0.1.',
    '10.0.0.256',
    '1.1.1.1:80',
    'fe80::1%eth0',
    '[::1]',
    '::ffff:0x7f.0.0.1',
    '::1::',
    ' 1.1.1.1',
    'localhost',
    '',
  ])('%j is no address', (text) => {
    expect(addressKind(text)).toBeNull()
  })
})

test.each([
  ['64:ff9b::a00:1', '10.0.0.1'],
  ['64:ff9b:1:2:3:4:a00:1', '10.0.0.1'],
  ['2002:a00:1:5::6', '10.0.0.1'],
  ['2001:0:4136:e378:8000:63bf:f5ff:fffe', '10.0.0.1'],
  ['::a00:1', '10.0.0.1'],
  ['::ffff:0:a00:1', '10.0.0.1'],
  ['::ffff:10.0.0.1', null], // it is IPv4 itself
  ['10.0.0.1', null],
  ['2606:4700::a00:1', null],
  ['nothing', null],
])('%s stands for %s', (text, inner) => {
  expect(innerAddress(text)).toBe(inner)
})

test('loopback, in every notation', () => {
  expect(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'].every(isLoopback)).toBe(true)
  expect(['128.0.0.1', '::2', '10.0.0.1', 'localhost'].some(isLoopback)).toBe(false)
})
