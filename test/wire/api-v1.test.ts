import { describe, expect, test } from 'bun:test'
import { bearer, startGateway, type TestGateway } from '../support/gateway.ts'
import type { RawAnswer } from '../support/raw-answer.ts'
import { rawRequest } from '../support/raw-client.ts'
import { gate, json, type Part, reset, send, status } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, delta, done, event, finish, role, sse, text, toolCall, usage } from '../support/sse.ts'
import { balanceOf, chat as chatV1, HELLO, recordOf, settlementOf, timingOf } from '../support/wire-chat.ts'

const PATH = '/api/v1/chat/completions'
const PROVIDER = 'mock' // of every backend under test

/** One chat request to `/api/v1`. */
function chat(gateway: TestGateway, fields: object = {}, headers = bearer(gateway)): RawAnswer {
  const body = { model: 'm1', messages: HELLO, max_tokens: 16, ...fields }
  return rawRequest(gateway.origin, { path: PATH, headers, json: body })
}

const stream = (gateway: TestGateway, fields: object = {}): RawAnswer => chat(gateway, { stream: true, ...fields })

/** The events of a stream that came to its end, as JSON, without `[DONE]`. */
async function chunksOf(answer: RawAnswer) {
  await answer.text()
  return answer.events.filter(({ data }) => data !== '[DONE]').map(({ data }) => JSON.parse(data))
}

/** The error object of an answer in OpenRouter's shape. */
async function errorOf(answer: RawAnswer) {
  const head = await answer.head()
  expect(head.header('content-type')).toBe('application/json')
  const { error, ...others } = JSON.parse(await answer.text())
  expect(others).toEqual({})
  expect(Object.keys(error).sort()).toEqual(['code', 'message', 'metadata'])
  expect(error.code).toBe(head.status)
  return { head, ...error }
}

async function world(...parts: readonly Part[]) {
  const provider = await scriptedProvider()
  provider.script(...parts)
  const gateway = await startGateway({ offers: { m1: [{ provider }] } })
  return {
    provider,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
    },
  }
}

describe('a plain answer', () => {
  test('bears the generation, the provider and what it cost', async () => {
    await using made = await world(completion('Hello back', 10, 5, { x_mock: { kept: 1.5 } }))
    const answer = chat(made.gateway)
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
    await using made = await world(json({ choices: [{ message: { content: 'x'.repeat(300) } }] }))
    const body = JSON.parse(await chat(made.gateway, { max_tokens: 1000 }).text())
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
    await using made = await world(completion('Hi', 10, 5, theirs))
    const whole = await chat(made.gateway).text()
    expect(whole.match(/"cost":[^,}]*/g)).toEqual(['"cost":0.00009'])
    expect(whole).not.toMatch(/theirs|cost_details|"is_byok":true/i)
  })
})

describe('a stream', () => {
  const WHOLE = [role(), text('Hel'), text('lo'), finish(), usage(10, 5), done()]

  test('bears the same marks in every event, and its usage once, before [DONE], asked for or not', async () => {
    await using made = await world(sse(...WHOLE))
    for (const fields of [{}, { stream_options: { include_usage: true } }]) {
      const answer = stream(made.gateway, fields)
      const head = await answer.head()
      const chunks = await chunksOf(answer)
      const id = head.header('x-generation-id')
      expect(id).toMatch(/^gen-/)
      for (const chunk of chunks)
        expect(chunk).toMatchObject({
          id,
          object: 'chat.completion.chunk',
          created: expect.any(Number),
          model: 'm1',
          provider: PROVIDER,
        })
      expect(chunks.flatMap(({ choices }) => choices[0].delta.content ?? []).join('')).toBe('Hello')
      expect(chunks.filter(({ usage: told }) => told !== undefined)).toEqual([chunks.at(-1)])
      expect(chunks.at(-1)).toMatchObject({
        choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: 0.00009, is_byok: false },
      })
      expect(answer.events.at(-1)?.data).toBe('[DONE]')
    }
    expect(await balanceOf(made.gateway)).toBe(1_000_000_000 - 2 * 90_000)
  })

  test('arrives as it is made', async () => {
    await using made = await world(sse(role(), text('Hel'), gate('half'), text('lo'), finish(), usage(10, 5), done()))
    const answer = stream(made.gateway)
    await answer.until('"Hel"')
    expect(answer.textSoFar).not.toContain('"lo"')
    made.provider.release('half')
    expect(await answer.text()).toContain('"lo"')
  })

  test('usage beside text, in every event, or only null in it, is told once all the same', async () => {
    const counted = (value: unknown, content: string, total: unknown, reason: string | null = null) =>
      event({ id: 'x', choices: [{ index: 0, delta: { content }, finish_reason: reason }], usage: total, value })
    const part = (n: number) => ({ prompt_tokens: 10, completion_tokens: n, total_tokens: 10 + n })
    await using made = await world(
      sse(counted(1, 'a', part(1)), counted(2, 'b', part(2)), counted(3, 'c', part(5), 'stop'), done()),
      sse(counted(1, 'a', null), counted(2, 'b', null, 'stop'), usage(10, 5), done()),
    )
    for (let n = 0; n < 2; n++) {
      const chunks = await chunksOf(stream(made.gateway))
      expect(chunks.map(({ usage: told }) => told?.completion_tokens)).toEqual([
        ...chunks.slice(1).map(() => undefined),
        5,
      ])
    }
  })

  test('without usage and without [DONE] gets both, as they are billed', async () => {
    await using made = await world(sse(role(), text('x'.repeat(300)), finish()))
    const answer = stream(made.gateway, { max_tokens: 1000 })
    const chunks = await chunksOf(answer)
    expect(chunks.at(-1)).toMatchObject({ usage: { completion_tokens: 100 } })
    expect(answer.events.filter(({ data }) => data === '[DONE]').length).toBe(1)
    const settlement = await settlementOf(made.gateway)
    expect(settlement).toMatchObject({ usage_source: 'estimate', usage: { output: 100 } })
    expect(chunks.at(-1).usage.cost * 1e9).toBeCloseTo(Number(settlement.charged_nano), 3)
  })

  test('no null where strict readers take none; tool calls pass', async () => {
    const nulls = { role: null, tool_calls: null, audio: null, content: 'a' }
    await using made = await world(
      sse(
        event({
          model: 'x',
          system_fingerprint: null,
          usage: null,
          choices: [{ index: 0, delta: nulls, finish_reason: '' }],
        }),
        event({ model: 'x', choices: [{ delta: null }] }),
        toolCall({ id: 'call_1', name: 'f', arguments: '{"a":' }),
        toolCall({ arguments: '1}' }),
        finish('tool_calls'),
        usage(4, 4),
        done(),
      ),
    )
    const answer = stream(made.gateway)
    const chunks = await chunksOf(answer)
    expect(chunks.slice(0, 2).map(({ choices }) => choices)).toEqual([
      [{ index: 0, delta: { content: 'a' }, finish_reason: null }],
      [{ index: 0, delta: {}, finish_reason: null }],
    ])
    expect(answer.textSoFar).not.toMatch(/"(usage|system_fingerprint|role|tool_calls|audio|delta)":null/)
    const pieces = chunks.flatMap(({ choices }) => choices[0].delta.tool_calls ?? [])
    expect(pieces.map((piece) => piece.function.arguments).join('')).toBe('{"a":1}')
  })

  test.each([
    ['is cut', reset()],
    ['says an error', event({ error: { message: 'overloaded', code: 'overloaded' } })],
  ] as const)('that breaks ends with a chunk that says so, and nothing after it: it %s', async (_name, part) => {
    await using made = await world(sse(role(), text('Hel'), part))
    const answer = stream(made.gateway)
    const chunks = await chunksOf(answer)
    expect(answer.textSoFar).not.toContain('[DONE]')
    expect(chunks.at(-1)).toEqual({
      id: (await answer.head()).header('x-generation-id'),
      object: 'chat.completion.chunk',
      created: expect.any(Number),
      model: 'm1',
      provider: PROVIDER,
      error: {
        code: 502,
        message: expect.any(String),
        metadata: { error_type: 'provider_unavailable', code: 'stream_broken' },
      },
      choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error', native_finish_reason: null }],
    })
    expect(await settlementOf(made.gateway)).toMatchObject({ reason: 'provider_broken' })
  })
})

describe('errors have a number for their code', () => {
  test('ours: bad JSON, bad field, bad key, no credit, unknown model, wrong method, nothing there', async () => {
    await using made = await world(completion('Hi', 1, 1))
    const { gateway } = made
    const post = (body: string) => rawRequest(gateway.origin, { path: PATH, headers: bearer(gateway), body })
    expect(await errorOf(post('{"model": }'))).toMatchObject({
      code: 400,
      metadata: { error_type: 'invalid_request', code: 'invalid_json' },
    })
    expect(await errorOf(post('{"model":"m1"}'))).toMatchObject({ code: 400, metadata: { param: 'messages' } })
    expect(await errorOf(chat(gateway, {}, { authorization: 'Bearer sk-ar-v1-no' }))).toMatchObject({
      code: 401,
      metadata: { error_type: 'authentication' },
    })
    expect(await errorOf(chat(gateway, { max_tokens: 4000, n: 100 }))).toMatchObject({
      code: 402,
      metadata: { error_type: 'payment_required', code: 'insufficient_credits' },
    })
    expect(await errorOf(chat(gateway, { model: 'm2' }))).toMatchObject({
      code: 404,
      metadata: { error_type: 'not_found', code: 'model_not_found' },
    })
    const wrong = await errorOf(rawRequest(gateway.origin, { method: 'GET', path: PATH }))
    expect(wrong).toMatchObject({ code: 405, metadata: { code: 'method_not_allowed' } })
    expect(wrong.head.header('allow')).toBe('POST')
    expect(await errorOf(rawRequest(gateway.origin, { method: 'GET', path: '/api/v1/nothing' }))).toMatchObject({
      code: 404,
    })
  })

  test("the providers': refused, throttled, failed, with the list of attempts", async () => {
    await using made = await world()
    const { gateway, provider } = made
    const refused = {
      message: 'too long',
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
      param: 'messages',
    }
    provider.script(json(400, { error: refused }))
    expect(await errorOf(chat(gateway))).toMatchObject({
      code: 400,
      message: 'too long',
      metadata: { error_type: 'context_length_exceeded', code: 'context_length_exceeded', param: 'messages' },
    })
    provider.script(status(429, {}, { 'retry-after': '7' }))
    const throttled = await errorOf(chat(gateway))
    expect(throttled).toMatchObject({ code: 429, metadata: { error_type: 'rate_limit_exceeded' } })
    expect(throttled.head.header('retry-after')).toBe('7')
    provider.script(json(401, { error: { message: 'no' } }))
    expect(await errorOf(chat(gateway))).toMatchObject({
      code: 502,
      metadata: {
        code: 'upstream_credentials_rejected',
        attempts: [{ backend: 'b0', outcome: 'denied', status: 401 }],
      },
    })
  })
})

test('the models list and one model are there too', async () => {
  await using made = await world()
  const get = (path: string) => rawRequest(made.gateway.origin, { method: 'GET', path, headers: bearer(made.gateway) })
  expect(await get('/api/v1/models').json()).toMatchObject({ object: 'list', data: [{ id: 'm1', object: 'model' }] })
  expect(await get('/api/v1/models/m1').json()).toMatchObject({ id: 'm1' })
  expect(await errorOf(get('/api/v1/models/m2'))).toMatchObject({ code: 404, metadata: { code: 'model_not_found' } })
})

test('what reaches the provider is the same as on /v1', async () => {
  await using made = await world(completion('Hi', 1, 1))
  await chat(made.gateway, { top_k: 3 }).text()
  await chatV1(made.gateway, { top_k: 3 }).text()
  const [one, other] = made.provider.requests
  expect(one?.body.equals(other?.body ?? Buffer.alloc(0))).toBe(true)
  expect(one?.target).toBe(other?.target ?? '')
})

test('/v1 knows nothing of it: bytes as the provider sent them', async () => {
  const raw =
    'data: {"usage":null, "model":"x","id":"c1","choices":[{"delta":{"role":null,"content":"a"},"finish_reason":""}]}\n\n'
  await using made = await world(sse(send(raw), delta({}, 'stop'), done()))
  const answer = chatV1(made.gateway, { stream: true })
  expect(await answer.text()).toStartWith(raw.replace('"x"', '"m1"'))
  expect((await answer.head()).header('x-generation-id')).toBeNull()
})

test('a base URL without its prefix is told where the operation is', async () => {
  await using made = await world()
  for (const [path, meant] of [
    ['/chat/completions', '/v1/chat/completions'],
    ['/v1/v1/chat/completions', '/v1/chat/completions'],
    ['/openai/chat/completions', '/v1/chat/completions'],
  ] as const) {
    const { error } = JSON.parse(await rawRequest(made.gateway.origin, { path, json: {} }).text())
    expect(error).toMatchObject({ code: 'not_found', message: expect.stringContaining(`Did you mean ${meant}?`) })
  }
  const other = JSON.parse(await rawRequest(made.gateway.origin, { path: '/chat', json: {} }).text())
  expect(other.error.message).not.toContain('Did you mean')
})
