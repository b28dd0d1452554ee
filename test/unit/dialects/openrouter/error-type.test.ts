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
