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

const mark = { operation: 'chat.completions', id: 'gen-1', createdS: 7, model: 'm', provider: 'p' } as const

test('the event is one line of data', () => {
  expect(Buffer.from(writeErrorEvent({ ...error, extra: {} }, mark)).toString()).toBe(
    'data: {"error":{"message":"a\\nb","type":"t","param":null,"code":null}}\n\n',
  )
})

test('a stream of responses ends with two events, whose numbers go on', () => {
  const begun = { sequence: 4, answer: Buffer.from('{"id":"resp_1","status":"in_progress","output":[]}') }
  const said = Buffer.from(writeErrorEvent(error, { ...mark, operation: 'responses', begun })).toString()
  const events = said.split('\n\n').flatMap((block) =>
    block
      .split('\ndata: ')
      .slice(1)
      .map((text) => JSON.parse(text)),
  )
  expect(said.startsWith('event: error\ndata: ')).toBe(true)
  expect(events).toEqual([
    {
      type: 'error',
      sequence_number: 4,
      code: 't',
      message: 'a\nb',
      param: null,
      error: { message: 'a\nb', type: 't', param: null, code: 't', attempts: [] },
    },
    {
      type: 'response.failed',
      sequence_number: 5,
      response: { id: 'resp_1', status: 'failed', output: [], error: { code: 't', message: 'a\nb' } },
    },
  ])
})
