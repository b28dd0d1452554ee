import { expect, test } from 'bun:test'
import { readError } from '../../../../src/dialects/anthropic/read-error.ts'

const body = (type: string) => Buffer.from(JSON.stringify({ type: 'error', error: { type, message: 'no' } }))

test('within a 200 the type says which status was meant; beside a status of its own it does not', () => {
  expect(readError(200, body('overloaded_error'))).toMatchObject({ status: 529, type: 'overloaded_error' })
  expect(readError(200, body('invalid_request_error')).status).toBe(400)
  expect(readError(200, body('strange_error')).status).toBe(200)
  expect(readError(400, body('overloaded_error')).status).toBe(400)
})

test('an error of another dialect is read too', () => {
  expect(readError(200, Buffer.from('{"error":{"message":"slow","code":429}}'))).toMatchObject({
    status: 429,
    message: 'slow',
  })
})
