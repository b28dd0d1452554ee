import { expect, test } from 'bun:test'
import { given } from '../../../src/dialects/given.ts'

test('null and nothing say nothing; all else does', () => {
  expect([null, undefined].some(given)).toBe(false)
  expect([0, '', false, [], {}].every(given)).toBe(true)
})
