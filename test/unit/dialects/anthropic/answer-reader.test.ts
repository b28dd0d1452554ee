import { describe, expect, test } from 'bun:test'
import { AnswerReader } from '../../../../src/dialects/anthropic/answer-reader.ts'

function read(value: unknown, reader = new AnswerReader()): AnswerReader {
  const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
  reader.read(bytes, 0, bytes.length)
  return reader
}
const delta = (fields: object) => ({ type: 'content_block_delta', index: 0, delta: fields })

describe('content', () => {
  test.each([
    ['text', delta({ type: 'text_delta', text: 'wörld' }), 6],
    ['thinking', delta({ type: 'thinking_delta', thinking: 'Hm' }), 2],
    ['tool input', delta({ type: 'input_json_delta', partial_json: '{"a"' }), 4],
    ['a signature, which is no text', delta({ type: 'signature_delta', signature: 'Eq' }), 0],
    ['a stop_reason', { type: 'message_delta', delta: { stop_reason: 'end_turn' } }, 0],
    [
      'a tool',
      { type: 'content_block_start', content_block: { type: 'tool_use', id: 'toolu_1', name: 'fn', input: {} } },
      2,
    ],
    ['hidden thinking', { type: 'content_block_start', content_block: { type: 'redacted_thinking', data: 'EmwK' } }, 0],
    [
      'a text that is there from the start',
      { type: 'content_block_start', content_block: { type: 'text', text: 'a' } },
      1,
    ],
  ])('is %s', (_what, event, textBytes) => {
    const reader = read(event)
    expect([reader.hasContent, reader.textBytes]).toEqual([true, textBytes])
  })

  test.each([
    ['an empty text', delta({ type: 'text_delta', text: '' })],
    ['a text that is null', delta({ type: 'text_delta', text: null })],
    ['a citation', delta({ type: 'citations_delta', citation: { cited_text: 'quoted' } })],
    ['an empty block', { type: 'content_block_start', content_block: { type: 'text', text: '', citations: [] } }],
    [
      'an empty thought',
      { type: 'content_block_start', content_block: { type: 'thinking', thinking: '', signature: '' } },
    ],
    ['a stop_reason that is null', { type: 'message_start', message: { content: [], stop_reason: null } }],
    ['odd kinds', { type: 'content_block_delta', delta: 7, content_block: null, message: 'x' }],
  ])('is not %s', (_what, event) => {
    const reader = read(event)
    expect([reader.hasContent, reader.textBytes]).toEqual([false, 0])
  })
})

test('what it found is of the last document alone, but for the usage', () => {
  const reader = read({
    type: 'message',
    id: 'a',
    model: 'b',
    usage: { input_tokens: 3, output_tokens: 4 },
    content: [],
  })
  expect([reader.type, reader.hasContentList, reader.spans.model !== null]).toEqual(['message', true, true])
  read('{"type":"future\\u0041","error":null}', reader)
  expect([reader.type, reader.hasContentList, reader.hasError, reader.spans.model]).toEqual([
    'futureA',
    false,
    false,
    null,
  ])
  expect(reader.usage.whole).toMatchObject({ input: 3, output: 4 })
})

test('the type of an event is its own, not that of the message in it', () => {
  const reader = read({ message: { type: 'message', model: 'x' }, type: 'message_start' })
  expect(reader.type).toBe('message_start')
})

test('content is that of the answer itself, and the last that is given', () => {
  const hasContentList = (text: string) => {
    const answer = new AnswerReader()
    const bytes = Buffer.from(text)
    answer.read(bytes, 0, bytes.length)
    return answer.hasContentList
  }
  expect(hasContentList('{"type":"message_start","message":{"content":[]}}')).toBe(false)
  expect(hasContentList('{"content":[],"message":{"content":null}}')).toBe(true)
  expect(hasContentList('{"content":[],"content":null}')).toBe(false)
})
