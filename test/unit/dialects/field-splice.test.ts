import { expect, test } from 'bun:test'
import { endsObject, fieldSplice, jsonAt } from '../../../src/dialects/field-splice.ts'
import { jsonSplice } from '../../../src/lib/index.ts'

const BYTES = Buffer.from('{"a":{"ü":1},"b":2}')
const A = { start: 5, end: 13 }

test('a field that is there gets its new value in its place; one that is not comes first', () => {
  const written = (span: typeof A | null) =>
    Buffer.from(jsonSplice(BYTES, [fieldSplice('a', span, '[3]', 1)])).toString()
  expect(written(A)).toBe('{"a":[3],"b":2}')
  expect(written(null)).toBe('{"a":[3],"a":{"ü":1},"b":2}')
})

test('the value at a place; null for no place', () => {
  expect(jsonAt(BYTES, A)).toEqual({ ü: 1 })
  expect(jsonAt(BYTES, null)).toBeNull()
})

test.each([
  ['{}', true],
  ['{ \n\t}', true],
  ['{"a":1}', false],
  ['{', false],
])('whether %j has nothing more in it', (text, ends) => {
  expect(endsObject(Buffer.from(text), 1)).toBe(ends)
})
