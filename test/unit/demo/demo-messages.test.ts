import { expect, test } from 'bun:test'
import { demoMessage, demoTokenCount } from '../../../src/demo/demo-messages.ts'
import { dialectOf } from '../../../src/dialects/index.ts'
import { playStream } from '../dialects/suite.ts'

const HEAD = { id: 'north-1', created: 0, model: 'fast' }
const HELLO = {
  model: 'fast',
  max_tokens: 64,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
}
const VIEW = { operation: 'messages', model: 'demo/fast', showUsage: true } as const
const TOOL = { name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }

function bodyOf(request: object) {
  const reply = demoMessage({ ...HELLO, ...request }, HEAD, 'north')
  if (reply.kind !== 'json') throw new Error(reply.kind)
  return Object(reply.body)
}

test('a plain answer and a stream say the same, with the same usage', () => {
  const plain = bodyOf({})
  expect(plain.content).toEqual([{ type: 'text', text: 'Hello from north. I am a simulated provider.' }])
  const streamed = demoMessage({ ...HELLO, stream: true }, HEAD, 'north')
  if (streamed.kind !== 'events') throw new Error(streamed.kind)
  const played = playStream(dialectOf('anthropic').openStream(VIEW), [Buffer.from(streamed.events.join(''))])
  expect(played).toMatchObject({ finished: true, textBytes: 44 })
  expect(played.usage).toMatchObject({ input: plain.usage.input_tokens, output: plain.usage.output_tokens })
})

test('max_tokens ends it early', () => {
  expect(bodyOf({ max_tokens: 2 })).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 2 } })
})

test('a tool is called, unless that is forbidden or its result is there', () => {
  expect(bodyOf({ tools: [TOOL] })).toMatchObject({
    stop_reason: 'tool_use',
    content: [{ type: 'tool_use', name: 'weather', input: { city: 'demo' } }],
  })
  expect(bodyOf({ tools: [TOOL], tool_choice: { type: 'none' } }).stop_reason).toBe('end_turn')
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'rain' }] }
  expect(bodyOf({ tools: [TOOL], messages: [...HELLO.messages, result] }).stop_reason).toBe('end_turn')
})

test('a count is that of the prompt', () => {
  const plain = bodyOf({ system: 'Be brief.' })
  expect(demoTokenCount({ ...HELLO, system: 'Be brief.' })).toEqual({
    kind: 'json',
    body: { input_tokens: plain.usage.input_tokens },
  })
})
