import { expect, test } from 'bun:test'
import { saidText } from '../../../../src/http/reports/said-text.ts'

const events = (...list: readonly object[]): string =>
  list.map((event) => `event: x\r\ndata: ${JSON.stringify(event)}\r\n\r\n`).join('')

test('the words of whole answers, in each dialect', () => {
  const said = { completion: 'ab', reasoning: 'why' }
  const message = { content: 'ab', reasoning: 'why' }
  expect(saidText({ choices: [{ message }] })).toEqual(said)
  expect(saidText({ choices: [{ message: { content: 'ab', reasoning_content: 'why' } }] })).toEqual(said)
  expect(saidText({ choices: [{ text: 'a' }, { text: 'b' }] })).toEqual({ completion: 'ab', reasoning: null })
  const thinking = { type: 'thinking', thinking: 'why' }
  expect(saidText({ content: [thinking, { type: 'text', text: 'ab' }] })).toEqual(said)
  const reasoning = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'why' }] }
  const output = [reasoning, { type: 'message', content: [{ type: 'output_text', text: 'ab' }] }]
  expect(saidText({ output })).toEqual(said)
})

test('the words of streams, as far as they are there', () => {
  const said = { completion: 'ab', reasoning: 'why' }
  const delta = (fields: object) => ({ choices: [{ delta: fields }] })
  const chat = events(delta({ reasoning: 'why' }), delta({ content: 'a' }), delta({ content: 'b' }), delta({}))
  expect(saidText(`: comment\n\n${chat}data: [DONE]\n\n`)).toEqual(said)
  expect(saidText(`${chat}data: {"choices":[{"delta":{"cont`)).toEqual(said)
  const block = (fields: object) => ({ type: 'content_block_delta', index: 0, delta: fields })
  const messages = events(
    block({ type: 'thinking_delta', thinking: 'why' }),
    block({ type: 'text_delta', text: 'ab' }),
    block({ type: 'input_json_delta', partial_json: '{}' }),
  )
  expect(saidText(messages)).toEqual(said)
  const responses = events(
    { type: 'response.reasoning_summary_text.delta', delta: 'why' },
    { type: 'response.output_text.delta', delta: 'ab' },
    { type: 'response.function_call_arguments.delta', delta: '{}' },
    { type: 'response.completed', response: { output: [{ content: [{ text: 'ab' }] }] } },
  )
  expect(saidText(responses)).toEqual(said)
})

test('what has no words has none', () => {
  const none = { completion: null, reasoning: null }
  const odd = [
    null,
    'no events',
    {},
    { data: [] },
    { choices: 'x' },
    { choices: [null] },
    { content: 'x' },
    { output: 'x' },
  ]
  for (const answer of odd) expect(saidText(answer)).toEqual(none)
  expect(saidText({ choices: [{ message: { content: null } }] })).toEqual(none)
})
