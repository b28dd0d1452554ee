import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { errorCode } from '../../../src/lib/index.ts'

test('the code of a system error; null for what has none', () => {
  expect(() => readFileSync('/nowhere/at/all')).toThrow()
  try {
    readFileSync('/nowhere/at/all')
  } catch (error) {
    expect(errorCode(error)).toBe('ENOENT')
  }
  expect(errorCode(Object.assign(new Error('x'), { code: 7 }))).toBe('7')
  expect(errorCode(new Error('x'))).toBeNull()
  expect(errorCode({ code: 'ENOENT' })).toBeNull()
  expect(errorCode(null)).toBeNull()
})
