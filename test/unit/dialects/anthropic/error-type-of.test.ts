import { expect, test } from 'bun:test'
import { errorTypeOf, statusOfType } from '../../../../src/dialects/anthropic/error-type-of.ts'

test.each([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [500, 'api_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])('%p is %s, and the reverse', (status, type) => {
  expect([errorTypeOf(status), statusOfType(type)]).toEqual([type, status])
})

test.each([
  [405, 'invalid_request_error'],
  [408, 'timeout_error'],
  [422, 'invalid_request_error'],
  [499, 'invalid_request_error'],
  [502, 'api_error'],
  [503, 'overloaded_error'],
])('%p has no word of its own: %s', (status, type) => {
  expect(errorTypeOf(status)).toBe(type)
})

test('another word stands for no status', () => {
  expect(statusOfType('new_error')).toBeNull()
})
