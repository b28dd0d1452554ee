import { expect, test } from 'bun:test'
import { given, givenFields } from '../../../src/dialects/given.ts'

test('null and nothing say nothing; all else does', () => {
  expect([null, undefined].some(given)).toBe(false)
  expect([0, '', false, [], {}].every(given)).toBe(true)
})

test('fields that say nothing are left out', () => {
  expect(givenFields({ code: null, param: undefined, empty: '', none: 0 })).toStrictEqual({ empty: '', none: 0 })
})
