import { expect, test } from 'bun:test'
import { JsonKeys } from '../../../src/lib/index.ts'

test('finds the whole name only', () => {
  const keys = new JsonKeys(['model', 'modes', 'é', ''])
  const bytes = Buffer.from('xmodelsé')
  const find = (start: number, end: number) => keys.find(bytes, start, end)
  expect(find(1, 6)).toBe('model')
  expect(find(1, 7)).toBe(undefined)
  expect(find(1, 5)).toBe(undefined)
  expect(find(7, 9)).toBe('é')
  expect(find(3, 3)).toBe('')
})
