import { expect, test } from 'bun:test'
import { deepFreeze } from '../../../src/lib/index.ts'

test('everything inside is frozen, values of maps too, and a cycle ends', () => {
  const inner = { list: [{ a: 1 }] }
  const value = { inner, map: new Map([['x', { b: 2 }]]), self: {} }
  value.self = value
  expect(deepFreeze(value)).toBe(value)
  expect(Object.isFrozen(inner.list[0])).toBe(true)
  expect(Object.isFrozen(value.map.get('x'))).toBe(true)
  expect(() => inner.list.push({ a: 2 })).toThrow(TypeError)
})
