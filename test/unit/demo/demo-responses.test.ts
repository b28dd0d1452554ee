import { expect, test } from 'bun:test'
import { demoResponse } from '../../../src/demo/demo-responses.ts'
import { dialectOf } from '../../../src/dialects/index.ts'
import { playStream } from '../dialects/suite.ts'

const HEAD = { id: 'north-1', created: 7, model: 'fast' }
const VIEW = { operation: 'responses', model: 'demo/fast', showUsage: true } as const
const TOOL = {
  type: 'function',
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
}
const reply = (fields: object) => demoResponse({ model: 'fast', input: 'Hello', ...fields }, HEAD, 'north')

function bodyOf(fields: object) {
  const made = reply(fields)
  return made.kind === 'json' ? Object(made.body) : expect.unreachable()
}

test('it says the same as to a chat, up to its limit', () => {
  const whole = bodyOf({ instructions: 'Be brief.' })
  expect(whole.output[0].content[0].text).toBe('Hello from north. I am a simulated provider.')
  expect(whole.usage).toMatchObject({ output_tokens: 10 })
  expect(bodyOf({ max_output_tokens: 2 })).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    output: [{ content: [{ text: 'Hello from' }] }],
  })
})

test.each([
  ['text', {}, 'Hello from north. I am a simulated provider.'.length],
  ['a call', { tools: [TOOL] }, '{"city":"demo"}'.length],
])('%s as events that the dialect reads to their end', (_name, fields, textBytes) => {
  const made = reply({ ...fields, stream: true })
  if (made.kind !== 'events') throw new Error(made.kind)
  const played = playStream(dialectOf('openai').openStream(VIEW), [Buffer.from(made.events.join(''))])
  expect(played).toMatchObject({ finished: true, textBytes })
})

test('a tool whose result is there, or that is forbidden, is not called', () => {
  const result = { type: 'function_call_output', call_id: 'c', output: '7' }
  for (const fields of [
    { input: [{ role: 'user', content: [{ type: 'input_text', text: 'a' }] }, result] },
    { tool_choice: 'none' },
  ])
    expect(bodyOf({ tools: [TOOL], ...fields }).output[0].type).toBe('message')
})
