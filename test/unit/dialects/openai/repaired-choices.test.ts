import { expect, test } from 'bun:test'
import { repairedChoices } from '../../../../src/dialects/openai/repaired-choices.ts'

const repaired = (choices: unknown, form: 'message' | 'delta') =>
  JSON.parse(repairedChoices(Buffer.from(JSON.stringify(choices)), form))

test('of an event: index, delta and finish_reason are there, and no null that must be absent', () => {
  const delta = { role: null, content: null, tool_calls: null, function_call: null, audio: null, reasoning: null }
  expect(repaired([{ delta, finish_reason: '' }, { index: 5, delta: null, logprobs: null }, null], 'delta')).toEqual([
    { index: 0, delta: { content: null, reasoning: null }, finish_reason: null },
    { index: 5, delta: {}, finish_reason: null, logprobs: null },
    { index: 2, delta: {}, finish_reason: null },
  ])
})

test('of a plain answer: also what readers insist on', () => {
  const message = { role: null, tool_calls: null, content: 'a' }
  expect(repaired([{ message, finish_reason: 'stop', x: 1 }], 'message')).toEqual([
    {
      index: 0,
      message: { role: 'assistant', content: 'a', refusal: null },
      finish_reason: 'stop',
      logprobs: null,
      x: 1,
    },
  ])
})

test('content that is parts of text and thinking is a text and its reasoning; with others it stays', () => {
  const thinking = {
    type: 'thinking',
    thinking: [
      { type: 'text', text: 'th' },
      { type: 'text', text: 'ink' },
    ],
  }
  const parts = [thinking, { type: 'text', text: 'Hel' }, { type: 'reference', reference_ids: [1] }, 'lo']
  const [whole] = repaired([{ message: { role: 'assistant', content: parts } }], 'message')
  expect(whole.message).toEqual({ role: 'assistant', content: 'Hello', refusal: null, reasoning: 'think' })
  expect(repaired([{ delta: { content: [thinking] } }], 'delta')[0].delta).toEqual({ content: '', reasoning: 'think' })
  const picture = [{ type: 'image_url', image_url: { url: 'https://a' } }]
  expect(repaired([{ delta: { content: picture, reasoning: 'own' } }], 'delta')[0].delta).toEqual({
    content: picture,
    reasoning: 'own',
  })
})

test('numbers stay digit for digit', () => {
  const given = '[{"index":0,"seed":16183438542816233001,"logprobs":{"content":[{"logprob":-1.0e-05}]}}]'
  expect(repairedChoices(Buffer.from(given), 'delta')).toBe(
    '[{"index":0,"delta":{},"finish_reason":null,"seed":16183438542816233001,"logprobs":{"content":[{"logprob":-1.0e-05}]}}]',
  )
})

test('what is there stays', () => {
  const choice = {
    index: 0,
    delta: { role: 'assistant', content: '', tool_calls: [{ index: 0 }] },
    finish_reason: 'stop',
  }
  expect(repaired([choice], 'delta')).toEqual([choice])
  expect(repaired([], 'delta')).toEqual([])
})
