import { expect, test } from 'bun:test'
import { hostOf } from '../../../src/cli/host-of.ts'

test('an address stays as it is', () => {
  expect(hostOf('::1')).toBe('::1')
})

test('an empty one, as of a variable that is not set, never opens all addresses', () => {
  for (const text of ['', ' ', '*', '[::1]']) expect(() => hostOf(text)).toThrow('such as 127.0.0.1')
})
