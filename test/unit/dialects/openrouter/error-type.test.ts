import { expect, test } from 'bun:test'
import { errorTypeOf } from '../../../../src/dialects/openrouter/error-type.ts'

test('a code that is one of the words says more than the status', () => {
  expect(errorTypeOf(400, 'context_length_exceeded')).toBe('context_length_exceeded')
  expect(errorTypeOf(400, 'invalid_json')).toBe('invalid_request')
})

test('a status without a word of its own', () => {
  expect([errorTypeOf(500, null), errorTypeOf(599, null), errorTypeOf(418, null)]).toEqual([
    'server',
    'server',
    'unmapped',
  ])
})

test.each([
  [400, 'invalid_request'],
  [401, 'authentication'],
  [402, 'payment_required'],
  [403, 'permission_denied'],
  [404, 'not_found'],
  [405, 'invalid_request'],
  [408, 'timeout'],
  [412, 'precondition_failed'],
  [413, 'payload_too_large'],
  [415, 'invalid_request'],
  [422, 'unprocessable'],
  [429, 'rate_limit_exceeded'],
  [431, 'invalid_request'],
  [499, 'unmapped'],
  [502, 'provider_unavailable'],
  [503, 'provider_overloaded'],
  [504, 'timeout'],
  [529, 'provider_overloaded'],
])('%p is %s', (status, type) => {
  expect(errorTypeOf(status, null)).toBe(type)
})
