import { expect, test } from 'bun:test'
import { errorText } from '../../../src/lib/error-text.ts'

test('an error says its message, anything else itself', () => {
  expect(errorText(new TypeError('no such thing'))).toBe('no such thing')
  expect(errorText('a text')).toBe('a text')
  expect(errorText(undefined)).toBe('undefined')
})
