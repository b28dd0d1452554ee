import { describe, expect, test } from 'bun:test'
import { answerOf } from '../../../../src/dialects/anthropic/answer-of.ts'

const stream = (...events: object[]): Buffer =>
  Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
const START = {
  type: 'message_start',
  message: { id: 'msg_1', content: [], usage: { input_tokens: 3, output_tokens: 1 } },
}
const STOP = { type: 'message_stop' }

function summed(...events: object[]) {
  const sum = answerOf(stream(START, ...events, STOP))
  if (sum.kind !== 'answer') throw new Error(sum.kind)
  return Buffer.from(sum.body).toString()
}

describe('the events of a stream add up to a message', () => {
  test('blocks by their index, citations in their order, numbers of tool input digit for digit', () => {
    const tool = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }
    const said = summed(
      { type: 'content_block_start', index: 1, content_block: tool },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'a' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation: { n: 1 } } },
      { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation: { n: 2 } } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'b' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"id":123456789' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '01234567890}' } },
      { type: 'content_block_delta', index: 7, delta: { type: 'text_delta', text: 'of no block' } },
    )
    expect(said).toContain('"input":{"id":12345678901234567890}')
    expect(JSON.parse(said).content).toMatchObject([{ text: 'ab', citations: [{ n: 1 }, { n: 2 }] }, { name: 'f' }])
  })

  test('of usage and the stop_reason the last word counts', () => {
    const delta = { stop_reason: 'stop_sequence', stop_sequence: 'END' }
    const said = JSON.parse(summed({ type: 'message_delta', delta, usage: { output_tokens: 9, input_tokens: null } }))
    expect(said).toMatchObject({ ...delta, usage: { input_tokens: 3, output_tokens: 9 } })
  })

  test('a name that means something to JavaScript does not', () => {
    const said = summed(
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      JSON.parse('{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","__proto__":"x","text":"a"}}'),
    )
    expect(JSON.parse(said).content).toEqual([{ type: 'text', text: 'a' }])
  })
})

test.each([
  ['without its end', stream(START), 'the stream ended before its end'],
  ['no JSON', Buffer.from('data: {"type":\n\n'), 'an event of the stream is not JSON'],
  ['no object', Buffer.from('data: 7\n\n'), 'an event of the stream is no JSON object'],
  [
    'an input that is no JSON',
    stream(
      START,
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', input: {} } },
      { type: 'content_block_delta', index: 0, delta: { partial_json: '{"a"' } },
      STOP,
    ),
    'an event of the stream is not JSON',
  ],
])('%s is no answer', (_what, bytes, message) => {
  expect(answerOf(bytes)).toEqual({ kind: 'not_an_answer', message })
})
