import { describe, expect, test } from 'bun:test'
import { streamOf } from '../../../../src/dialects/anthropic/stream-of.ts'

function eventsOf(whole: object | string) {
  const text = Buffer.from(streamOf(Buffer.from(typeof whole === 'string' ? whole : JSON.stringify(whole)))).toString()
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => {
      const [name = '', data = ''] = event.split('\n')
      const parsed = JSON.parse(data.slice('data: '.length))
      expect(name).toBe(`event: ${parsed.type}`)
      return parsed
    })
}
const said = (block: object) =>
  eventsOf({ content: [block] }).filter(({ type }) => type === 'content_block_start' || type === 'content_block_delta')

describe('a message as a stream', () => {
  test('begins without content, ends with its reason and usage', () => {
    const events = eventsOf({
      id: 'msg_1',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: 'max_tokens',
      stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 4 },
    })
    expect(events).toEqual([
      {
        type: 'message_start',
        message: {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          model: 'm',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 3, output_tokens: 0 },
        },
      },
      {
        type: 'message_delta',
        delta: { stop_reason: 'max_tokens', stop_sequence: null },
        usage: { input_tokens: 3, output_tokens: 4 },
      },
      { type: 'message_stop' },
    ])
  })

  test('text with its citations', () => {
    expect(said({ type: 'text', text: 'Hi', citations: [{ cited_text: 'q' }] })).toEqual([
      { type: 'content_block_start', content_block: { type: 'text', text: '', citations: [] }, index: 0 },
      { type: 'content_block_delta', delta: { type: 'citations_delta', citation: { cited_text: 'q' } }, index: 0 },
      { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hi' }, index: 0 },
    ])
  })

  test('thinking with its signature, tools with their input, other blocks whole', () => {
    expect(said({ type: 'thinking', thinking: 'Hm', signature: 'Eq' }).map(({ delta }) => delta?.type)).toEqual([
      undefined,
      'thinking_delta',
      'signature_delta',
    ])
    const [begun, input] = said({ type: 'tool_use', id: 't', name: 'f', input: { a: 1 } })
    expect(begun.content_block).toEqual({ type: 'tool_use', id: 't', name: 'f', input: {} })
    expect(input.delta).toEqual({ type: 'input_json_delta', partial_json: '{"a":1}' })
    const result = { type: 'web_search_tool_result', tool_use_id: 't', content: [{ title: 'T' }] }
    expect(said(result)).toEqual([{ type: 'content_block_start', content_block: result, index: 0 }])
  })

  test('numbers of tool input stay digit for digit', () => {
    const [, piece] = eventsOf('{"content":[{"type":"tool_use","input":{"id":12345678901234567890,"x":1.0}}]}').filter(
      ({ type }) => type.startsWith('content_block_') && type !== 'content_block_stop',
    )
    expect(piece.delta.partial_json).toBe('{"id":12345678901234567890,"x":1.0}')
  })
})
