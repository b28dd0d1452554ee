import { describe, expect, test } from 'bun:test'
import { addressRefusal } from '../../../src/agents/address-refusal.ts'
import { parseAddressRange } from '../../../src/lib/index.ts'

const refusal = (ip: string, allow: readonly string[] = [], own: readonly string[] = []): string | null =>
  addressRefusal(ip, {
    allowPrivate: allow.flatMap((text) => parseAddressRange(text) ?? []),
    ownAddresses: () => own,
  })

test('public addresses pass, others do not', () => {
  expect(['8.8.8.8', '2606:4700::1', '::ffff:8.8.8.8'].map((ip) => refusal(ip))).toEqual([null, null, null])
  expect(refusal('10.0.0.1')).toBe('it is not public')
  expect(refusal('224.0.0.1')).toBe('no request may go there')
  expect(refusal('localhost')).toBe('it is not written as an address')
})

describe('addresses of this machine', () => {
  const ON_A_SERVER = ['127.0.0.1', '8.8.8.8', '10.0.0.5', 'fe80::1', '2606:4700:0:0::7']
  test.each(['8.8.8.8', '::ffff:8.8.8.8', '2606:4700::7', '10.0.0.5', '127.0.0.9'])('%s', (ip) => {
    expect(refusal(ip, ['0.0.0.0/0', '::/0'], ON_A_SERVER)).toBe('it is an address of this machine')
    expect(refusal(ip, [ip.replace('::ffff:', '')], ON_A_SERVER)).toBeNull()
  })

  test('what stands for one is one', () => {
    expect(refusal('64:ff9b::808:808', ['::/0'], ON_A_SERVER)).toBe('it is an address of this machine')
  })
})
