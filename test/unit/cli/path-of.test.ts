import { expect, test } from 'bun:test'
import { pathOf } from '../../../src/cli/path-of.ts'

test('a path stays as it is; an empty one is refused', () => {
  expect(pathOf(' a b/c')).toBe(' a b/c')
  for (const text of ['', '  ']) expect(() => pathOf(text)).toThrow('Write a path')
})
