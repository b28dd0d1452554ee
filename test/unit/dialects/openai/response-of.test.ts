import { describe, expect, test } from 'bun:test'
import { responseEvents } from '../../../../src/dialects/openai/response-events.ts'
import { responseOf } from '../../../../src/dialects/openai/response-of.ts'

const WHOLE = { id: 'resp_1', status: 'completed', output: [{ id: 'msg_1', type: 'message', content: [] }] }
const sumOf = (stream: Uint8Array | string) => {
  const sum = responseOf(Buffer.from(stream))
  return sum.kind === 'not_an_answer' ? sum.message : JSON.parse(Buffer.from(sum.body).toString())
}

test('the last event has it', () => expect(sumOf(responseEvents(WHOLE))).toEqual(WHOLE))

test('where that has no output, it is what was said on the way', () => {
  const events = [
    { type: 'response.output_item.done', item: { id: 'msg_1' } },
    { type: 'response.completed', response: { id: 'resp_1', output: [] } },
  ]
  const stream = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  expect(sumOf(stream)).toEqual({ id: 'resp_1', output: [{ id: 'msg_1' }] })
})

describe('what is none', () => {
  test.each([
    ['no end', 'data: {"type":"response.created"}\n\n', 'the stream ended before its end'],
    ['an end of another format', 'data: {"type":"x"}\n\ndata: [DONE]\n\n', 'the stream ended before its end'],
    ['no JSON', 'data: {"\n\n', 'an event of the stream is not JSON'],
    ['no object', 'data: 7\n\n', 'an event of the stream is no JSON object'],
  ])('%s', (_name, stream, message) => expect(sumOf(stream)).toBe(message))
})

test('a type that is no text is none', () => {
  const events = [
    { type: { toString: true } },
    { type: 1 },
    { type: 'response.completed', response: { output: [1.5] } },
  ]
  const sum = responseOf(
    Buffer.from(`data: {"type":1.0}\n\n${events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')}`),
  )
  expect(sum.kind).toBe('answer')
})
