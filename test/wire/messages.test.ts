import { describe, expect, test } from 'bun:test'
import {
  apiKey,
  ask,
  COUNT_PATH,
  MESSAGES_PATH,
  message,
  messagesWorld,
  SPEAKS,
  worldWith,
} from '../support/anthropic.ts'
import { bearer, startGateway } from '../support/gateway.ts'
import { json } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion } from '../support/sse.ts'
import { chat, settlementOf, timingOf } from '../support/wire-chat.ts'

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

  test('a file that the provider keeps is not shown to whoever knows its name: only to an own credential', async () => {
    await using world = await messagesWorld(message('Hi'))
    const content = [{ type: 'document', source: { type: 'file', file_id: 'file_other' } }]
    const answer = ask(world.gateway, { messages: [{ role: 'user', content }] })
    expect((await answer.head()).status).toBe(400)
    expect(JSON.parse(await answer.text())).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining('file_other') },
    })
    expect(world.provider.requests).toEqual([])
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
