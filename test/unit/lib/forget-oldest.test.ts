import { expect, test } from 'bun:test'
import { forgetOldest } from '../../../src/lib/index.ts'

test.each([
  [4, ['a', 'b', 'c']],
  [3, ['a', 'b', 'c']],
  [1, ['c']],
  [0, []],
])('of three, at most %d are left: those put there last', (sizeMax, left) => {
  const map = new Map([...'abc'].map((name) => [name, 1]))
  forgetOldest(map, sizeMax)
  expect([...map.keys()]).toEqual(left)
})
