import { expect, test } from 'bun:test'
import { readCount } from '../../../src/dialects/read-count.ts'
import { JsonReader } from '../../../src/lib/index.ts'

test.each([
  ['0', 0],
  ['12', 12],
  ['1e9', 1_000_000_000],
  ['1000000001', null],
  ['-1', null],
  ['1.5', null],
  ['"12"', null],
  ['null', null],
  ['[12]', null],
])('%s counts as %j, and is read over', (json, expected) => {
  const reader = new JsonReader(Buffer.from(json))
  expect(readCount(reader)).toBe(expected)
  reader.finish()
})
