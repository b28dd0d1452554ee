import { describe, expect, test } from 'bun:test'
import { canonicalAddress, isInRanges, parseAddressRange } from '../../../src/lib/index.ts'

const range = (text: string) => {
  const parsed = parseAddressRange(text)
  if (parsed === null) throw new Error(`no range: ${text}`)
  return parsed
}

describe('a range', () => {
  test.each([
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.0.0.0/8', '9.255.255.255', false],
    ['192.168.4.0/22', '192.168.7.255', true],
    ['192.168.4.0/22', '192.168.8.0', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3', '10.1.2.2', false],
    ['10.1.2.3/32', '10.1.2.4', false],
    ['0.0.0.0/0', '255.1.2.3', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['2001:db8::/33', '2001:db8:7fff::1', true],
    ['2001:db8::/33', '2001:db8:8000::1', false],
    ['::1', '::1', true],
    ['::/0', '10.0.0.1', false],
    ['10.0.0.0/8', '::ffff:10.2.3.4', true],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['10.0.0.0/8', 'unknown', false],
    ['10.0.0.0/8', '', false],
  ])('%s and %s: %p', (text, address, isIn) => {
    expect(isInRanges(address, [range(text)])).toBe(isIn)
  })

  test('several are tried, none has nothing', () => {
    expect(isInRanges('10.0.0.1', [range('::1'), range('10.0.0.0/8')])).toBe(true)
    expect(isInRanges('10.0.0.1', [])).toBe(false)
  })

  test.each([
    '',
    '10.0.0.0/33',
    '::1/129',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '010.0.0.1',
    '0x7f.1',
    'localhost',
    '10.0.0.0/',
    '10.0.0.0/8 ',
    'fe80::1%eth0',
  ])('%p is none', (text) => {
    expect(parseAddressRange(text)).toBeNull()
  })
})

test('an address has one form', () => {
  expect(canonicalAddress('::ffff:10.1.2.3')).toBe('10.1.2.3')
  expect(canonicalAddress('2001:0DB8:0::1')).toBe('2001:db8::1')
  expect(canonicalAddress('10.1.2.3:80')).toBeNull()
  expect(canonicalAddress('10.1.2')).toBeNull()
})
