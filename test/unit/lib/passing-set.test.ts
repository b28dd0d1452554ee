import { expect, test } from 'bun:test'
import { PassingSet } from '../../../src/lib/index.ts'

test('things come and go in their order', () => {
  const set = new PassingSet<string>()
  expect(set.first()).toBeUndefined()
  for (const thing of ['a', 'b', 'a', 'c']) set.add(thing)
  expect([set.size, set.first(), [...set]]).toEqual([3, 'a', ['a', 'b', 'c']])
  expect([set.delete('a'), set.delete('a')]).toEqual([true, false])
  expect([set.first(), set.has('a'), set.has('c')]).toEqual(['b', false, true])
  set.clear()
  expect([set.size, set.first()]).toEqual([0, undefined])
})
