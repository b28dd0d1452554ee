import { expect, test } from 'bun:test'
import {
  ask,
  block,
  blockEnd,
  delta,
  message,
  messageStop,
  messagesWorld,
  ping,
  said,
  start,
  stopped,
  textBlock,
  worldWith,
} from '../support/anthropic.ts'
import { gate } from '../support/script.ts'
import { sse } from '../support/sse.ts'
import { timingOf } from '../support/wire-chat.ts'

const WHOLE = [start(), textBlock(), ping(), said('Hel'), said('lo'), blockEnd(), stopped(7), messageStop()]

test('a stream is passed on as it comes, each event with its name, under our name of the model', async () => {
  await using world = await messagesWorld(
    sse(start(), textBlock(), ping(), said('Hel'), gate('half'), said('lo'), blockEnd(), stopped(7), messageStop()),
  )
  const answer = ask(world.gateway, { stream: true })
  const head = await answer.head()
  expect(head.header('content-type')).toContain('text/event-stream')
  expect(timingOf(head).has('upstream-1')).toBe(true)
  expect(head.header('request-id')).toMatch(/^req_/)
  await answer.until('Hel')
  expect(answer.textSoFar).not.toContain('"lo"')
  world.provider.release('half')
  const whole = await answer.text()
  expect(whole).not.toContain('claude-provider-2026')
  expect(answer.events.map(({ type }) => type)).toEqual([
    'message_start',
    'content_block_start',
    'ping',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ])
  expect(answer.events.every(({ type, data }) => JSON.parse(data).type === type)).toBe(true)
  expect(JSON.parse(answer.events[0]?.data ?? '').message).toMatchObject({ model: 'm1', id: 'msg_01scripted' })
  expect((await world.provider.arrived()).header('accept')).toBe('text/event-stream')
})

test.each([
  ['thinking', [block({ type: 'thinking', thinking: '' }), delta({ type: 'thinking_delta', thinking: 'Hm' })]],
  ['a signature', [block({ type: 'thinking', thinking: '' }), delta({ type: 'signature_delta', signature: 'Eq' })]],
  ['a tool', [block({ type: 'tool_use', id: 'toolu_1', name: 'f', input: {} })]],
  ['a stop_reason', [stopped(0, 'refusal')]],
])('a stream begins with its first content: %s', async (_what, steps) => {
  await using world = await messagesWorld(sse(start(), ...steps, gate('rest'), stopped(3), messageStop()))
  const answer = ask(world.gateway, { stream: true })
  expect((await answer.head()).status).toBe(200) // the head comes with the first content
  world.provider.release('rest')
  await answer.text()
  expect(answer.events.at(-1)?.type).toBe('message_stop')
})

test('tool input passes untouched', async () => {
  await using world = await messagesWorld(
    sse(
      start(),
      block({ type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }),
      delta({ type: 'input_json_delta', partial_json: '{"a":' }),
      delta({ type: 'input_json_delta', partial_json: '12345678901234567890}' }),
      blockEnd(),
      stopped(9, 'tool_use'),
      messageStop(),
    ),
  )
  const answer = ask(world.gateway, { stream: true, tools: [{ name: 'f', input_schema: { type: 'object' } }] })
  await answer.text()
  const pieces = answer.events.map(({ data }) => JSON.parse(data).delta?.partial_json ?? '')
  expect(pieces.join('')).toBe('{"a":12345678901234567890}')
})

test('a stream that comes as a whole answer is told as one, and the reverse', async () => {
  await using world = await messagesWorld(message('Hello'), sse(...WHOLE))
  const streamed = ask(world.gateway, { stream: true })
  await streamed.text()
  expect(streamed.events.map(({ type }) => type)).toEqual([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ])
  const plain = JSON.parse(await ask(world.gateway).text())
  expect(plain).toMatchObject({
    model: 'm1',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 20, output_tokens: 7 },
  })
})

test('a stream that is silent for long gets comments, which SDKs pass over', async () => {
  await using world = await worldWith(
    { yaml: { routing: { heartbeat_after_ms: 30 } } },
    sse(gate('late'), start(), textBlock(), said('Hi'), blockEnd(), stopped(1), messageStop()),
  )
  const answer = ask(world.gateway, { stream: true })
  await answer.until(': heartbeat')
  world.provider.release('late')
  await answer.text()
  expect(answer.events.map(({ type }) => type)).not.toContain('message')
  expect(answer.events.at(-1)?.type).toBe('message_stop')
})
