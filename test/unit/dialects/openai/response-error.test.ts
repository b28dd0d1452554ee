import { expect, test } from 'bun:test'
import { writeResponseError } from '../../../../src/dialects/openai/response-error.ts'

const ERROR = {
  status: 502,
  message: 'It broke.',
  type: 'server_error',
  code: 'stream_broken',
  param: null,
  requestId: 'req_1',
  extra: {},
}
const MARK = { operation: 'responses', id: 'gen-1', createdS: 7, model: 'm', provider: 'p' } as const

test('of a stream that nobody has begun there is a response all the same, with all that readers look for', () => {
  const text = Buffer.from(writeResponseError(ERROR, MARK, { error_type: 'server' })).toString()
  const [error, failed] = text
    .split('\n\n')
    .slice(0, 2)
    .map((block) => JSON.parse(block.slice(block.indexOf('data: ') + 6)))
  expect(error).toMatchObject({ type: 'error', sequence_number: 0, code: 'stream_broken', error_type: 'server' })
  expect(failed).toMatchObject({ type: 'response.failed', sequence_number: 1, error_type: 'server' })
  expect(failed.response).toMatchObject({
    ...{ id: 'gen-1', object: 'response', created_at: 7, model: 'm', status: 'failed', output: [], usage: null },
    error: { code: 'stream_broken', message: 'It broke.' },
  })
})
