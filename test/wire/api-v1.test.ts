import { describe, expect, test } from 'bun:test'
import { bearer } from '../support/gateway.ts'
import { rawRequest } from '../support/raw-client.ts'
import { json, send } from '../support/script.ts'
import { completion, delta, done, sse } from '../support/sse.ts'
import { apiChat, apiErrorOf, apiWorld, PROVIDER } from '../support/wire-api-v1.ts'
import { chat, recordOf, settlementOf, timingOf } from '../support/wire-chat.ts'

describe('a plain answer', () => {
  test('bears the generation, the provider and what it cost', async () => {
    await using made = await apiWorld(completion('Hello back', 10, 5, { x_mock: { kept: 1.5 } }))
    const answer = apiChat(made.gateway)
    const head = await answer.head()
    const { usage: told, choices, ...rest } = JSON.parse(await answer.text())
    timingOf(head)
    const record = await recordOf(made.gateway, head)
    expect(rest).toEqual({
      id: record.generation_id,
      object: 'chat.completion',
      created: 1_760_000_000,
      model: 'm1',
      provider: PROVIDER,
      system_fingerprint: null,
      x_mock: { kept: 1.5 },
    })
    expect(rest.id).toMatch(/^gen-/)
    expect(head.header('x-generation-id')).toBe(rest.id)
    expect(choices).toEqual([
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello back', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ])
    expect(told).toEqual({
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
      is_byok: false,
      cost: 0.00009,
    })
    expect(record.settlement).toMatchObject({ charged_nano: 90_000 })
  })

  test('without a report tells the usage that is billed', async () => {
    await using made = await apiWorld(json({ choices: [{ message: { content: 'x'.repeat(300) } }] }))
    const body = JSON.parse(await apiChat(made.gateway, { max_tokens: 1000 }).text())
    expect(body).toMatchObject({
      object: 'chat.completion',
      created: expect.any(Number),
      usage: { completion_tokens: 100 },
    })
    const { charged_nano: charged } = await settlementOf(made.gateway)
    expect(body.usage.cost * 1e9).toBeCloseTo(Number(charged), 3)
  })

  test('of a provider that has marks and prices of its own shows ours alone', async () => {
    const theirs = {
      id: 'gen-theirs',
      provider: 'Theirs',
      usage: { prompt_tokens: 10, completion_tokens: 5, cost: 7, is_byok: true, cost_details: {} },
    }
    await using made = await apiWorld(completion('Hi', 10, 5, theirs))
    const whole = await apiChat(made.gateway).text()
    expect(whole.match(/"cost":[^,}]*/g)).toEqual(['"cost":0.00009'])
    expect(whole).not.toMatch(/theirs|cost_details|"is_byok":true/i)
  })
})

test('the models list and one model are there too', async () => {
  await using made = await apiWorld()
  const get = (path: string) => rawRequest(made.gateway.origin, { method: 'GET', path, headers: bearer(made.gateway) })
  expect(await get('/api/v1/models').json()).toMatchObject({
    data: [{ id: 'm1', object: 'model' }, { id: 'anyrouter/auto' }],
  })
  expect(await get('/api/v1/models/m1').json()).toMatchObject({ id: 'm1' })
  expect(await apiErrorOf(get('/api/v1/models/m2'))).toMatchObject({ code: 404, metadata: { code: 'model_not_found' } })
})

test('what reaches the provider is the same as on /v1', async () => {
  await using made = await apiWorld(completion('Hi', 1, 1))
  await apiChat(made.gateway, { top_k: 3 }).text()
  await chat(made.gateway, { top_k: 3 }).text()
  const [one, other] = made.provider.requests
  expect(one?.body.equals(other?.body ?? Buffer.alloc(0))).toBe(true)
  expect(one?.target).toBe(other?.target ?? '')
})

test('/v1 knows nothing of it: bytes as the provider sent them', async () => {
  const raw =
    'data: {"usage":null, "model":"x","id":"c1","choices":[{"delta":{"role":null,"content":"a"},"finish_reason":""}]}\n\n'
  await using made = await apiWorld(sse(send(raw), delta({}, 'stop'), done()))
  const answer = chat(made.gateway, { stream: true })
  expect(await answer.text()).toStartWith(raw.replace('"x"', '"m1"'))
  expect((await answer.head()).header('x-generation-id')).toBeNull()
})

test('a base URL without its prefix is told where the operation is', async () => {
  await using made = await apiWorld()
  for (const [path, meant] of [
    ['/chat/completions', '/v1/chat/completions'],
    ['/v1/v1/chat/completions', '/v1/chat/completions'],
    ['/openai/chat/completions', '/v1/chat/completions'],
    ['/v1//chat/completions', '/v1/chat/completions'],
    ['/api/v1/v1/chat/completions', '/api/v1/chat/completions'],
  ] as const) {
    const { error } = JSON.parse(await rawRequest(made.gateway.origin, { path, json: {} }).text())
    const [prefix] = meant.split('/chat')
    expect(error.message).toContain(`Did you mean ${meant}? The base URL of clients ends with ${prefix}`)
  }
  for (const [path, meant, end] of [
    ['/v1/v1/messages', '/v1/messages', '/v1, or before /v1 where they add it.'],
    ['/api/v1/v1/messages', '/api/v1/messages', '/api/v1, or before /v1 where they add it.'],
    ['/messages', '/v1/messages', '/v1.'],
  ] as const) {
    const { error } = JSON.parse(await rawRequest(made.gateway.origin, { path, json: {} }).text())
    expect(error.message).toEndWith(`Did you mean ${meant}? The base URL of clients ends with ${end}`)
  }
  const other = JSON.parse(await rawRequest(made.gateway.origin, { path: '/chat', json: {} }).text())
  expect(other.error.message).not.toContain('Did you mean')
})

test('an operation that is not served is not taken for another whose path ends alike', async () => {
  await using made = await apiWorld()
  for (const path of ['/v1/messages/batches', '/api/v1/messages/batches', '/v1/vector_stores/vs_1/files']) {
    const { error } = JSON.parse(await rawRequest(made.gateway.origin, { path, json: {} }).text())
    expect(error.message).toBe(`There is nothing at POST ${path}.`)
  }
})
