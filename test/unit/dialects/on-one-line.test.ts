import { expect, test } from 'bun:test'
import { onOneLine } from '../../../src/dialects/on-one-line.ts'

test('breaks become spaces in a copy; what has none is not copied', () => {
  const lines = Buffer.from('{\n"a":1\n}')
  expect(onOneLine(lines).toString()).toBe('{ "a":1 }')
  expect(lines.toString()).toContain('\n')
  const one = new Uint8Array(Buffer.from('x{}x')).subarray(1, 3)
  expect(onOneLine(one).toString()).toBe('{}')
  expect(onOneLine(one).buffer).toBe(one.buffer)
})
