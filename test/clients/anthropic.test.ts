import { expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import {
  block,
  blockEnd,
  delta,
  errorBody,
  errorEvent,
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
import { type TestGateway, unknownKey } from '../support/gateway.ts'
import { gate, hang, json, type Part, script } from '../support/script.ts'
import { sse } from '../support/sse.ts'
import { settlementOf } from '../support/wire-chat.ts'

const HELLO: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hello' }]
const ASKED = { model: 'm1', max_tokens: 64, messages: HELLO }
const WEATHER: Anthropic.Tool = {
  name: 'weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } } },
}

/** The SDK adds `/v1/messages` to its base URL: the origin, or the origin with `/api`. */
const sdk = (gateway: TestGateway, more: ConstructorParameters<typeof Anthropic>[0] = {}) =>
  new Anthropic({ baseURL: gateway.origin, apiKey: gateway.key, maxRetries: 0, ...more })

test('messages', async () => {
  await using world = await messagesWorld(message('Hello back'))
  const answer = await sdk(world.gateway).messages.create(ASKED)
  expect(answer.content).toEqual([{ type: 'text', text: 'Hello back' }])
  expect(answer).toMatchObject({ model: 'm1', stop_reason: 'end_turn', usage: { input_tokens: 20, output_tokens: 5 } })
  expect(answer._request_id).toMatch(/^req_/)
})

test('a token in place of a key, as Claude Code sends it, and the base URL of OpenRouter’s clients', async () => {
  await using world = await messagesWorld(message('Hi'))
  const { gateway } = world
  const client = sdk(gateway, { baseURL: `${gateway.origin}/api`, apiKey: null, authToken: gateway.key })
  const answer = await client.messages.create(ASKED)
  expect(answer).toMatchObject({ id: expect.stringMatching(/^gen-/), provider: 'mock', usage: { cost: 0.00013 } })
})

test('beta messages: what they ask for goes on', async () => {
  await using world = await messagesWorld(message('Hi'))
  await sdk(world.gateway).beta.messages.create({ ...ASKED, betas: ['context-1m-2025-08-07'] })
  const request = await world.provider.arrived()
  expect(request.header('anthropic-beta')).toBe('context-1m-2025-08-07')
  expect(request.header('anthropic-version')).toMatch(/^\d{4}-\d\d-\d\d$/)
})

test('streaming', async () => {
  await using world = await messagesWorld(
    sse(start(), textBlock(), ping(), said('Hel'), said('lo'), blockEnd(), stopped(7), messageStop()),
  )
  const events = await Array.fromAsync(await sdk(world.gateway).messages.create({ ...ASKED, stream: true }))
  expect(events.map(({ type }) => type)).toEqual([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ])
})

test('heartbeats before the first content are passed over', async () => {
  await using world = await worldWith(
    { yaml: { routing: { heartbeat_after_ms: 20 } } },
    script(gate('late'), sse(start(), textBlock(), said('Hi'), blockEnd(), stopped(1), messageStop())),
  )
  const stream = sdk(world.gateway).messages.stream(ASKED)
  const final = stream.finalMessage()
  await world.provider.reached('late')
  await new Promise((turn) => stream.on('connect', () => turn(null))) // the head comes with the first heartbeat
  world.provider.release('late')
  expect((await final).content).toMatchObject([{ type: 'text', text: 'Hi' }])
})

test('a tool round trip', async () => {
  await using world = await messagesWorld(
    sse(
      start(),
      block({ type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }),
      delta({ type: 'input_json_delta', partial_json: '{"city":' }),
      delta({ type: 'input_json_delta', partial_json: '"Oslo"}' }),
      blockEnd(),
      stopped(9, 'tool_use'),
      messageStop(),
    ),
    message('It rains.'),
  )
  const client = sdk(world.gateway)
  const asked = await client.messages.stream({ ...ASKED, tools: [WEATHER] }).finalMessage()
  const call = asked.content[0]
  expect(call).toMatchObject({ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } })
  expect(asked.stop_reason).toBe('tool_use')
  const answer = await client.messages.create({
    ...ASKED,
    tools: [WEATHER],
    messages: [
      ...HELLO,
      { role: 'assistant', content: asked.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'rain' }] },
    ],
  })
  expect(answer.content).toMatchObject([{ text: 'It rains.' }])
  expect((await world.provider.arrived(2)).json()).toMatchObject({
    messages: [{}, { content: [{ input: { city: 'Oslo' } }] }, { content: [{ tool_use_id: 'toolu_1' }] }],
    tools: [{ name: 'weather' }],
  })
})

test('a count of tokens', async () => {
  await using world = await messagesWorld(json({ input_tokens: 2095 }))
  const counted = await sdk(world.gateway).messages.countTokens({ model: 'm1', messages: HELLO })
  expect(counted.input_tokens).toBe(2095)
})

test('each failure is the error class that SDK users catch', async () => {
  await using world = await worldWith({ balanceUsd: '0.01' })
  const { gateway, provider } = world
  const caught = async (part: Part | null, fields: object = {}, key = gateway.key) => {
    if (part !== null) provider.script(part)
    try {
      await sdk(gateway, { apiKey: key }).messages.create({ ...ASKED, max_tokens: 4, ...fields })
    } catch (error) {
      if (error instanceof Anthropic.APIError) return error
      throw error
    }
    throw new Error('it should have failed')
  }
  const wrongKey = await caught(null, {}, unknownKey())
  expect(wrongKey).toBeInstanceOf(Anthropic.AuthenticationError)
  expect(wrongKey).toMatchObject({ type: 'authentication_error', requestID: expect.stringMatching(/^req_/) })
  expect(await caught(null, { model: 'm2' })).toBeInstanceOf(Anthropic.NotFoundError)
  expect(await caught(null, { messages: [] })).toBeInstanceOf(Anthropic.BadRequestError)
  expect(await caught(null, { max_tokens: 4000 })).toMatchObject({ status: 402, type: 'billing_error' })
  const bad = await caught(json(400, errorBody('invalid_request_error', 'temperature: too hot')))
  expect(bad).toBeInstanceOf(Anthropic.BadRequestError)
  expect(bad.apiMessage).toBe('temperature: too hot')
  expect(await caught(json(422, errorBody('invalid_request_error', 'no')))).toBeInstanceOf(
    Anthropic.UnprocessableEntityError,
  )
  expect(await caught(json(413, errorBody('request_too_large', 'no')))).toMatchObject({
    status: 413,
    type: 'request_too_large',
  })
  expect(await caught(json(429, errorBody('rate_limit_error', 'slow')))).toBeInstanceOf(Anthropic.RateLimitError)
  expect(await caught(json(500, errorBody('api_error', 'oh')))).toBeInstanceOf(Anthropic.InternalServerError)
})

test('a failed answer that may have been executed is not sent again by the SDK', async () => {
  await using world = await messagesWorld(json(500, errorBody('api_error', 'oh')))
  const failed = sdk(world.gateway, { maxRetries: 2 }).messages.create(ASKED)
  const error = await failed.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(Anthropic.InternalServerError)
  expect(world.provider.requests.length).toBe(1)
})

test('a stream that breaks throws, with the type', async () => {
  await using world = await messagesWorld(sse(start(), textBlock(), said('Hel'), errorEvent('api_error', 'oh')))
  const stream = await sdk(world.gateway).messages.create({ ...ASKED, stream: true })
  const error = await Array.fromAsync(stream).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(Anthropic.APIError)
  expect(error).toMatchObject({ type: 'api_error', message: expect.stringContaining('broke off') })
})

test('an abort in mid-stream reaches the provider, and what was delivered is paid', async () => {
  await using world = await messagesWorld(sse(start(), textBlock(), said('y'.repeat(60)), hang()))
  const stream = await sdk(world.gateway).messages.create({ ...ASKED, stream: true })
  for await (const event of stream) if (event.type === 'content_block_delta') break
  await world.provider.peerClosed()
  expect(await settlementOf(world.gateway)).toMatchObject({
    reason: 'client_gone',
    usage: { input: 20, output: 20 },
  })
})
