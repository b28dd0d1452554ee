import { describe, expect, test } from 'bun:test'
import { responseEvents } from '../../../../src/dialects/openai/response-events.ts'
import { openResponseStream } from '../../../../src/dialects/openai/response-stream.ts'

const textPart = { type: 'output_text', text: 'Hello', annotations: [{ type: 'url_citation' }], logprobs: [] }
const eventsOf = (output: readonly object[], fields: object = {}) =>
  Buffer.from(responseEvents({ id: 'resp_1', status: 'completed', output, ...fields }))
    .toString()
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => JSON.parse(block.slice(block.indexOf('data: ') + 6)))

const typesOf = (output: readonly object[], fields?: object) =>
  eventsOf(output, fields).map(({ type }) => String(type).replace('response.', ''))

describe('each item is begun, said and ended before the next', () => {
  test.each([
    [
      'a message',
      { id: 'm', type: 'message', content: [textPart, { type: 'refusal', refusal: 'No' }, { type: 'other' }] },
      [
        ...[
          'content_part.added',
          'output_text.delta',
          'output_text.annotation.added',
          'output_text.done',
          'content_part.done',
        ],
        ...['content_part.added', 'refusal.delta', 'refusal.done', 'content_part.done'],
        ...['content_part.added', 'content_part.done'],
      ],
    ],
    [
      'reasoning',
      { id: 'r', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Think' }] },
      [
        'reasoning_summary_part.added',
        'reasoning_summary_text.delta',
        'reasoning_summary_text.done',
        'reasoning_summary_part.done',
      ],
    ],
    [
      'a call',
      { id: 'f', type: 'function_call', name: 'f', arguments: '{}' },
      ['function_call_arguments.delta', 'function_call_arguments.done'],
    ],
    [
      'a call of another tool',
      { id: 'c', type: 'custom_tool_call', input: 'ls' },
      ['custom_tool_call_input.delta', 'custom_tool_call_input.done'],
    ],
    ['anything else', { id: 'w', type: 'web_search_call' }, []],
  ])('%s', (_name, item, inner) => {
    expect(typesOf([item])).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      ...inner,
      'output_item.done',
      'completed',
    ])
  })
})

test('numbers have no holes, and the last event is the whole', () => {
  const fields = {
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    usage: { input_tokens: 1 },
  }
  const events = eventsOf([{ id: 'm', type: 'message', content: [textPart] }], fields)
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at))
  expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: fields })
  expect(events[0].response).toMatchObject({ status: 'in_progress', output: [], usage: null })
})

test('it is read as the answer that it says', () => {
  const stream = openResponseStream({ operation: 'responses', model: 'm', showUsage: true })
  stream.push(
    responseEvents({ id: 'resp_1', status: 'completed', output: [{ id: 'm', type: 'message', content: [textPart] }] }),
  )
  expect([stream.finished, stream.textBytes, stream.stored]).toEqual([
    true,
    5,
    { id: 'resp_1', items: ['m'], usage: null },
  ])
})

test('an item whose id is no text has one by its place', () => {
  const item = { id: { toString: true }, type: 'custom_tool_call', input: 'a' }
  const events = Buffer.from(responseEvents({ output: [item] })).toString()
  expect(events).toContain('"item_id":"item_0"')
})
