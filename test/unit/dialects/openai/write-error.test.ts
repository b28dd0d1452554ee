import { expect, test } from 'bun:test'
import { writeError, writeErrorEvent } from '../../../../src/dialects/openai/write-error.ts'

const error = {
  status: 400,
  message: 'a\nb',
  type: 't',
  code: null,
  param: null,
  requestId: 'req_1',
  extra: { attempts: [] },
}

test('all four keys are there, null or not, and the further fields', () => {
  expect(Buffer.from(writeError(error)).toString()).toBe(
    '{"error":{"message":"a\\nb","type":"t","param":null,"code":null,"attempts":[]}}',
  )
})

test('the event is one line of data', () => {
  expect(Buffer.from(writeErrorEvent({ ...error, extra: {} })).toString()).toBe(
    'data: {"error":{"message":"a\\nb","type":"t","param":null,"code":null}}\n\n',
  )
})
