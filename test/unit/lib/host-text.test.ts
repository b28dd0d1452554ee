import { expect, test } from 'bun:test'
import { bareHost, hostText } from '../../../src/lib/host-text.ts'

test('an IPv6 address is in brackets where a port follows, and nowhere else', () => {
  expect(hostText('::1', 80)).toBe('[::1]:80')
  expect(hostText('127.0.0.1', 80)).toBe('127.0.0.1:80')
  expect(hostText('a.example', 443)).toBe('a.example:443')
  expect(bareHost(new URL('http://[::1]:80/').hostname)).toBe('::1')
  expect(bareHost('a.example')).toBe('a.example')
})
