import { expect, test } from 'bun:test'
import { enterObject } from '../../../src/dialects/enter-object.ts'
import { JsonError, JsonReader } from '../../../src/lib/index.ts'

const readerOf = (json: string): JsonReader => new JsonReader(Buffer.from(json))

test('an object is entered: its fields are next', () => {
  const reader = readerOf(' {"a": 1}')
  expect(enterObject(reader)).toBe(true)
  expect(reader.position).toBe(2)
  expect(reader.nextKey()).toBe(true)
  expect(reader.keyText()).toBe('a')
})

test.each(['[{}]', '"text"', '1', 'null'])('%s is no object', (json) => {
  expect(enterObject(readerOf(json))).toBe(false)
})

test.each(['', '[1', '1 2', 'nul'])('%j is no JSON, which is seen of any kind', (json) => {
  expect(() => enterObject(readerOf(json))).toThrow(JsonError)
})
