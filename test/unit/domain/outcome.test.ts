import { expect, test } from 'bun:test'
import { errorMarks } from '../../../src/domain/index.ts'

test('status, type and code of an error, never words', () => {
  const error = {
    status: 200,
    message: 'you said: my prompt',
    type: 'overloaded_error',
    code: '529',
    param: 'messages',
  }
  expect(errorMarks(error)).toBe('the provider reported an error (status 200, overloaded_error, 529)')
  expect(errorMarks({ ...error, type: 'my prompt', code: null })).toBe('the provider reported an error (status 200)')
  expect(errorMarks({ ...error, type: null, code: 'x'.repeat(65) })).toBe('the provider reported an error (status 200)')
})
