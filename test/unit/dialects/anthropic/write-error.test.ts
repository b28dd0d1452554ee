import { expect, test } from 'bun:test'
import { envelopeOf, writeError, writeErrorEvent } from '../../../../src/dialects/anthropic/write-error.ts'

const ERROR = {
  status: 404,
  message: 'No such model.',
  type: 'invalid_request_error',
  code: 'model_not_found',
  param: null,
  requestId: 'req_1',
  extra: { skips: [] },
}
const TOLD = {
  type: 'error',
  error: { type: 'not_found_error', message: 'No such model.', code: 'model_not_found', skips: [] },
  request_id: 'req_1',
}

test('the type goes by the status; our code and further fields stand beside the message', () => {
  expect(JSON.parse(Buffer.from(writeError(ERROR)).toString())).toEqual(TOLD)
  expect<object>(envelopeOf(ERROR, { error_type: 'not_found' }).error).toEqual({
    ...TOLD.error,
    error_type: 'not_found',
  })
})

test('an event has its name', () => {
  const [name, data, ...rest] = Buffer.from(writeErrorEvent(ERROR)).toString().split('\n')
  expect([name, rest]).toEqual(['event: error', ['', '']])
  expect(JSON.parse((data ?? '').replace('data: ', ''))).toEqual(TOLD)
})
