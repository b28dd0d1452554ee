import { expect, test } from 'bun:test'
import {
  ask,
  blockEnd,
  errorEvent,
  message,
  messageStop,
  messagesWorld,
  said,
  start,
  stopped,
  textBlock,
} from '../support/anthropic.ts'
import { json, type Step } from '../support/script.ts'
import { sse } from '../support/sse.ts'

const PATH = '/api/v1/messages'
const MARKS = { id: expect.stringMatching(/^gen-[0-9a-f]{32}$/), model: 'm1', provider: 'mock' }

test("a plain answer bears OpenRouter's marks, its usage the cost", async () => {
  await using world = await messagesWorld(
    message('Hi', { cache_read_input_tokens: 100, cost: 99, service_tier: 'standard' }),
  )
  const answer = ask(world.gateway, {}, { path: PATH })
  const head = await answer.head()
  const said = JSON.parse(await answer.text())
  expect(head.header('x-generation-id')).toBe(said.id) // before the matchers below: they put themselves in place of what matches
  expect(said).toMatchObject({ ...MARKS, type: 'message', content: [{ type: 'text', text: 'Hi' }] })
  expect(said.usage).toEqual({
    input_tokens: 20,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 100,
    output_tokens: 5,
    service_tier: 'standard',
    is_byok: false,
    cost: 0.00023, // 20 × $4 + 100 × $1 + 5 × $10 for a million
  })
})

test('a stream bears them at its start, and tells its cost with its last usage', async () => {
  await using world = await messagesWorld(sse(start(), textBlock(), said('Hi'), blockEnd(), stopped(5), messageStop()))
  const answer = ask(world.gateway, { stream: true }, { path: PATH })
  await answer.text()
  const events = answer.events.map(({ data }) => JSON.parse(data))
  expect(events.map(({ type }) => type)).toEqual(answer.events.map(({ type }) => type))
  expect(events[0].message).toMatchObject(MARKS)
  expect(events.find(({ type }) => type === 'message_delta').usage).toEqual({
    input_tokens: 20,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 5,
    is_byok: false,
    cost: 0.00013,
  })
})

test('without a report it tells what is billed', async () => {
  const end: Step = {
    send: 'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n',
  }
  await using world = await messagesWorld(sse(start(), textBlock(), said('x'.repeat(30)), end, messageStop()))
  const answer = ask(world.gateway, { stream: true }, { path: PATH })
  await answer.text()
  const told = answer.events.find(({ type }) => type === 'message_delta')
  expect(JSON.parse(told?.data ?? '')).toMatchObject({ usage: { input_tokens: 20, output_tokens: 10, cost: 0.00018 } })
})

test('errors have a word of OpenRouter’s besides', async () => {
  await using world = await messagesWorld(sse(start(), textBlock(), said('Hel'), errorEvent('api_error', 'no')))
  const refused = ask(world.gateway, { model: 'nothing' }, { path: PATH })
  expect((await refused.head()).status).toBe(404)
  expect(JSON.parse(await refused.text())).toMatchObject({
    type: 'error',
    error: { type: 'not_found_error', error_type: 'not_found' },
  })
  const broken = ask(world.gateway, { stream: true }, { path: PATH })
  await broken.text()
  expect(JSON.parse(broken.events.at(-1)?.data ?? '')).toMatchObject({
    type: 'error',
    error: { type: 'api_error', error_type: 'provider_unavailable' },
  })
})

test('a count of tokens is there too; fields for the gateway do not reach the provider, fallbacks are tried', async () => {
  await using world = await messagesWorld(json({ input_tokens: 3 }), message('Hi'))
  const counted = ask(world.gateway, { max_tokens: undefined }, { path: `${PATH}/count_tokens` })
  expect(JSON.parse(await counted.text())).toEqual({ input_tokens: 3 })
  const wishes = { model: 'nothing', fallbacks: [{ model: 'm1' }], provider: { ignore: ['nobody'] }, session_id: 's' }
  expect((await ask(world.gateway, wishes, { path: PATH }).head()).status).toBe(200)
  expect(Object.keys(Object((await world.provider.arrived(2)).json())).sort()).toEqual([
    'max_tokens',
    'messages',
    'model',
  ])
})
