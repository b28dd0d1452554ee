import { describe, expect, test } from 'bun:test'
import {
  apiKey,
  ask,
  block,
  blockEnd,
  COUNT_PATH,
  delta,
  MESSAGES_PATH,
  message,
  messageStop,
  messagesWorld,
  ping,
  SPEAKS,
  said,
  start,
  stopped,
  textBlock,
  worldWith,
} from '../support/anthropic.ts'
import { bearer, startGateway } from '../support/gateway.ts'
import { gate, json } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, sse } from '../support/sse.ts'
import { chat, settlementOf, timingOf } from '../support/wire-chat.ts'

const WHOLE = [start(), textBlock(), ping(), said('Hel'), said('lo'), blockEnd(), stopped(7), messageStop()]

describe('a request', () => {
  test('reaches the provider byte for byte but for its model, with what its version asks and our credential alone', async () => {
    await using world = await messagesWorld(message('Hi'))
    const { gateway, provider } = world
    const headers = {
      ...apiKey(gateway),
      'anthropic-version': '2026-10-21',
      'anthropic-beta': 'context-1m,skills',
      'x-app': 'cli',
      cookie: 'a=b',
    }
    const fields = { temperature: 1, metadata: { user_id: 'u' }, thinking: { type: 'enabled', budget_tokens: 1024 } }
    const answer = ask(gateway, fields, { headers })
    expect(JSON.parse(await answer.text())).toMatchObject({ model: 'm1', content: [{ text: 'Hi' }] })
    const request = await provider.arrived()
    expect(request.target).toBe('/v1/messages')
    expect(request.body.toString()).toBe(
      '{"model":"provider-m1","messages":[{"role":"user","content":"Hello"}],"max_tokens":16,"temperature":1,"metadata":{"user_id":"u"},"thinking":{"type":"enabled","budget_tokens":1024}}',
    )
    expect(['anthropic-version', 'anthropic-beta', 'x-api-key', 'accept'].map(request.header)).toEqual([
      '2026-10-21',
      'context-1m,skills',
      'sk-provider-canary-0123456789',
      'application/json',
    ])
    expect(['authorization', 'cookie', 'x-app'].map(request.header)).toEqual([null, null, null])
  })

  test('without a version is one of 2023-06-01; ?beta=true goes on; a Bearer key will do', async () => {
    await using world = await messagesWorld(message('Hi'))
    const { gateway, provider } = world
    const answer = ask(gateway, {}, { path: `${MESSAGES_PATH}?beta=true`, headers: bearer(gateway) })
    expect((await answer.head()).status).toBe(200)
    const request = await provider.arrived()
    expect([request.target, request.header('anthropic-version'), request.header('anthropic-beta')]).toEqual([
      '/v1/messages?beta=true',
      '2023-06-01',
      null,
    ])
  })

  test('goes to a backend of both dialects with the credential in both ways, and chats go there as ever', async () => {
    await using world = await worldWith({ offer: { backend: { dialects: ['openai', 'anthropic'] } } })
    const { gateway, provider } = world
    provider.script(message('Hi'), completion('Hi', 1, 1))
    await ask(gateway).text()
    await chat(gateway).text()
    const [first, second] = provider.requests
    expect([first?.target, first?.header('authorization'), first?.header('x-api-key')]).toEqual([
      '/v1/messages',
      'Bearer sk-provider-canary-0123456789',
      'sk-provider-canary-0123456789',
    ])
    expect([second?.target, second?.header('anthropic-version')]).toEqual(['/v1/chat/completions', null])
  })

  test('passes over backends of another dialect, and a chat those of this one', async () => {
    await using provider = await scriptedProvider()
    await using other = await scriptedProvider()
    await using gateway = await startGateway({ offers: { m1: [{ provider: other }, { provider, backend: SPEAKS }] } })
    provider.script(message('Hi'))
    other.script(completion('Hi', 1, 1))
    expect((await ask(gateway).head()).status).toBe(200)
    expect((await chat(gateway).head()).status).toBe(200)
    expect([provider.requests.length, other.requests.length]).toEqual([1, 1])
  })
})

describe('a stream', () => {
  test('is passed on as it comes, each event with its name, under our name of the model', async () => {
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
  ])('begins with its first content: %s', async (_what, steps) => {
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

  test('that comes as a whole answer is told as a stream, and the reverse', async () => {
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

  test('that is silent for long gets comments, which SDKs pass over', async () => {
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
})

describe('a count of tokens', () => {
  test('comes from the provider, costs nothing and holds nothing', async () => {
    await using world = await worldWith({ balanceUsd: '0.000001' }, json({ input_tokens: 2095 }))
    const answer = ask(world.gateway, { max_tokens: undefined }, { path: COUNT_PATH })
    expect(JSON.parse(await answer.text())).toEqual({ input_tokens: 2095 })
    timingOf(await answer.head())
    const request = await world.provider.arrived()
    expect([request.target, request.json()]).toEqual([
      '/v1/messages/count_tokens',
      { model: 'provider-m1', messages: [{ role: 'user', content: 'Hello' }] },
    ])
    expect(await settlementOf(world.gateway)).toMatchObject({
      end: 'settled',
      charged_nano: 0,
      held_nano: 0,
      usage: { input: 0, output: 0 },
    })
  })

  test('falls back like any other request, and what is no count is none', async () => {
    await using first = await scriptedProvider()
    await using second = await scriptedProvider()
    await using gateway = await startGateway({
      offers: {
        m1: [
          { provider: first, backend: SPEAKS },
          { provider: second, backend: SPEAKS },
        ],
      },
    })
    first.script(json({ object: 'list' }))
    second.script(json({ input_tokens: 3, context_management: { original_input_tokens: 9 } }))
    const answer = ask(gateway, { max_tokens: undefined }, { path: COUNT_PATH })
    expect(JSON.parse(await answer.text())).toEqual({
      input_tokens: 3,
      context_management: { original_input_tokens: 9 },
    })
    expect([first.requests.length, second.requests.length]).toEqual([1, 1])
  })
})
