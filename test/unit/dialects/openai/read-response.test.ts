import { describe, expect, test } from 'bun:test'
import { readResponse } from '../../../../src/dialects/openai/read-response.ts'

const VIEW = { operation: 'responses', model: 'demo/fast', showUsage: false } as const
const read = (value: unknown) =>
  readResponse(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), VIEW)

describe('what is no response', () => {
  test.each([
    ['HTML', '<html></html>'],
    ['a list', []],
    ['no output', { id: 'resp_1', status: 'completed' }],
    ['a stream that does not end', 'event: response.created\ndata: {"type":"response.created","response":{}}\n\n'],
  ])('%s', (_name, value) => expect(read(value).kind).toBe('not_an_answer'))
})

describe('why it failed decides who is blamed', () => {
  test.each([
    ['server_error', 200],
    ['rate_limit_exceeded', 429],
    ['invalid_prompt', 400],
    ['image_too_large', 400],
    ['vector_store_timeout', 200],
  ])('%s', (code, status) => {
    const reply = read({ id: 'resp_1', status: 'failed', error: { code, message: 'x' }, output: [] })
    expect(reply).toMatchObject({ kind: 'error', error: { status, code, message: 'x' } })
  })

  test('without a reason', () => {
    expect(read({ status: 'failed', error: null, output: [] })).toMatchObject({ kind: 'error', error: { status: 200 } })
  })
})

test('an event that fails in place of a plain answer', () => {
  expect(read('data: {"type":"error","message":"no"}\n\n')).toMatchObject({ kind: 'error', error: { message: 'no' } })
})
