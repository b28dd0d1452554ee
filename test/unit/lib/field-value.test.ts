import { expect, test } from 'bun:test'
import { isFieldValue } from '../../../src/lib/index.ts'

test.each(['', 'a b', 'a\tb', '\xe9', '\x80'])('%j may be sent', (text) => {
  expect(isFieldValue(text)).toBe(true)
})

test.each(['a\nb', 'a\rb', '\0', '\x1f', '\x7f', '→', 'a\n'])('%j may not', (text) => {
  expect(isFieldValue(text)).toBe(false)
})
