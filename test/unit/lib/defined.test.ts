import { expect, test } from 'bun:test'
import { defined } from '../../../src/lib/index.ts'

test('what is undefined is absent; what is null, empty or false is there', () => {
  const fields = defined({ gone: undefined, none: null, empty: '', off: false, zero: 0 })
  expect(Object.keys(fields)).toEqual(['none', 'empty', 'off', 'zero'])
})
