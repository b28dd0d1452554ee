import { expect, test } from 'bun:test'
import { readTokenCount } from '../../../../src/dialects/openai/read-token-count.ts'
import { NO_USAGE } from '../../../../src/domain/index.ts'

const read = (text: string) => readTokenCount(Buffer.from(text))

test('a count stays as it came, and uses nothing', () => {
  const body = Buffer.from('{ "object":"response.input_tokens", "input_tokens":12, "error":null }')
  expect(readTokenCount(body)).toEqual({ kind: 'answer', body, usage: NO_USAGE, textBytes: 0 })
})

test.each([
  ['{}', 'the answer has no count of tokens'],
  ['{"input_tokens":"12"}', 'the answer has no count of tokens'],
  ['[1]', 'the answer is JSON, but no object'],
  ['', 'the answer is empty'],
  ['<html>', 'the answer is HTML'],
])('%s is none', (text, message) => {
  expect(read(text)).toEqual({ kind: 'not_an_answer', message })
})

test('an error in its place', () => {
  expect(read('{"error":{"message":"no"}}')).toMatchObject({ kind: 'error', error: { message: 'no' } })
})
