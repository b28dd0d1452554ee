import { expect, test } from 'bun:test'
import { JsonError } from '../../../src/lib/index.ts'

test('line and column count from 1, columns in characters, the offset in bytes', () => {
  const bytes = Buffer.from('xx{\n"é😀":1\n\n  ?')
  expect(new JsonError('p', bytes, 2, 2)).toMatchObject({ line: 1, column: 1, offset: 0 })
  expect(new JsonError('p', bytes, 2, 12)).toMatchObject({ line: 2, column: 5, offset: 10 })
  expect(new JsonError('p', bytes, 2, bytes.length - 1)).toMatchObject({ line: 4, column: 3 })
  expect(new JsonError('a value is expected', bytes, 2, 2).message).toBe(
    'a value is expected at line 1, column 1 (byte 0)',
  )
})
