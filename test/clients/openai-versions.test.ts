import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import OpenAI6 from 'openai6'
import { zodResponseFormat as zodResponseFormat6 } from 'openai6/helpers/zod'
import { z } from 'zod'
import {
  clientWorld,
  embeddingsAnswer,
  helloStream,
  refuseEach,
  toolAnswer,
  toolStream,
} from '../support/client-world.ts'
import type { TestGateway } from '../support/gateway.ts'
import { hang } from '../support/script.ts'
import { completion, role, sse, text } from '../support/sse.ts'
import { responseEvents, responseJson, responseSse } from '../support/wire-responses.ts'

const HELLO = { model: 'm1', max_tokens: 16, messages: [{ role: 'user' as const, content: 'Hello' }] }
const CITY = z.object({ city: z.string(), people: z.number() })
const TOOL = {
  type: 'function' as const,
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
}
/** Of the refusals: what users of the SDK catch; those without a class of their own are plain API errors. */
const CLASSES: Readonly<Record<number, keyof typeof OpenAI & keyof typeof OpenAI6>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  422: 'UnprocessableEntityError',
  429: 'RateLimitError',
  502: 'InternalServerError',
}

describe.each([
  ['7', OpenAI, zodResponseFormat],
  ['6', OpenAI6 as unknown as typeof OpenAI, zodResponseFormat6 as unknown as typeof zodResponseFormat],
])('openai %s', (_version, Sdk, responseFormat) => {
  const sdk = (gateway: TestGateway, apiKey = gateway.key) =>
    new Sdk({ baseURL: gateway.baseUrl, apiKey, maxRetries: 0 })

  test('chat, plain and as a stream', async () => {
    await using world = await clientWorld(completion('Hello back', 9, 3), helloStream())
    const plain = await sdk(world.gateway).chat.completions.create(HELLO)
    expect([plain.choices[0]?.message.content, plain.usage?.total_tokens, plain.model]).toEqual([
      'Hello back',
      12,
      'm1',
    ])
    expect(plain._request_id).toMatch(/^req_/)
    const asked = { ...HELLO, stream: true as const, stream_options: { include_usage: true } }
    const chunks = await Array.fromAsync(await sdk(world.gateway).chat.completions.create(asked))
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Hello')
    expect(chunks.at(-1)?.usage?.total_tokens).toBe(12)
  })

  test('a tool that the SDK runs, plain and as a stream', async () => {
    for (const stream of [false, true]) {
      await using world = await clientWorld(
        ...(stream ? [toolStream(), helloStream()] : [toolAnswer(), completion('Hello', 9, 3)]),
      )
      const cities: string[] = []
      const run = (args: { city: string }) => `rain in ${cities.push(args.city)} city`
      const tools = [{ ...TOOL, function: { ...TOOL.function, parse: JSON.parse, function: run } }]
      const chat = sdk(world.gateway).chat.completions
      const runner = stream
        ? chat.runTools({ ...HELLO, stream, tools } as Parameters<typeof chat.runTools>[0])
        : chat.runTools({ ...HELLO, tools } as Parameters<typeof chat.runTools>[0])
      expect(await runner.finalContent()).toBe('Hello')
      expect(cities).toEqual(['Oslo'])
      expect((await world.provider.arrived(2)).json()).toMatchObject({
        messages: [{ role: 'user' }, { tool_calls: [{ id: 'call_1' }] }, { role: 'tool', content: 'rain in 1 city' }],
      })
    }
  })

  test('an answer in a schema', async () => {
    await using world = await clientWorld(completion('{"city":"Oslo","people":700000}', 9, 3))
    const asked = { ...HELLO, response_format: responseFormat(CITY, 'city') }
    const answer = await sdk(world.gateway).chat.completions.parse(asked)
    expect(answer.choices[0]?.message.parsed).toEqual({ city: 'Oslo', people: 700_000 })
    expect((await world.provider.arrived()).json()).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name: 'city', strict: true } },
    })
  })

  test('embeddings and models', async () => {
    await using world = await clientWorld(embeddingsAnswer('base64'))
    const { data } = await sdk(world.gateway).embeddings.create({ model: 'm1', input: ['a', 'b'] })
    expect(data.map(({ embedding }) => [...embedding])).toEqual([
      [1, 2],
      [0.5, -2],
    ])
    expect((await sdk(world.gateway).models.retrieve('m1')).id).toBe('m1')
  })

  test('responses, plain and as a stream', async () => {
    await using world = await clientWorld(responseJson(), responseSse(responseEvents(['Hel', 'lo'])))
    const plain = await sdk(world.gateway).responses.create({ model: 'm1', input: 'Hello' })
    expect([plain.output_text, plain.model]).toEqual(['Hello', 'm1'])
    const final = await sdk(world.gateway).responses.stream({ model: 'm1', input: 'Hello' }).finalResponse()
    expect(final).toMatchObject({ output: [{ content: [{ text: 'Hello' }] }], usage: { total_tokens: 15 } })
  })

  test('each failure is the error class that SDK users catch', async () => {
    const { wanted, found } = await refuseEach(
      (gateway, { model, maxTokens, key, isEmpty }) =>
        sdk(gateway, key).chat.completions.create({
          model,
          max_tokens: maxTokens,
          messages: isEmpty ? [] : HELLO.messages,
        }),
      (thrown, name) => {
        if (!(thrown instanceof Sdk.APIError)) return thrown
        const className = CLASSES[thrown.status ?? 0]
        if (className !== undefined && thrown.constructor !== Sdk[className]) return thrown
        expect(thrown.requestID).toMatch(/^req_/)
        expect(typeof thrown.type).toBe('string')
        if (name === 'provider 400') expect(thrown).toMatchObject({ param: 'temperature', code: 'x' })
        if (name === 'provider 429') expect(Number(thrown.headers?.get('retry-after'))).toBeGreaterThan(0)
        return thrown.status
      },
    )
    expect(found).toEqual(wanted)
  })

  test('an abort before the first byte, and in mid-stream', async () => {
    for (const steps of [[hang()], [sse(role(), text('y'), hang())]]) {
      await using world = await clientWorld(...steps)
      const abort = new AbortController()
      const asked = sdk(world.gateway).chat.completions.create({ ...HELLO, stream: true }, { signal: abort.signal })
      const ended = asked.then(async (stream) => {
        for await (const chunk of stream) if (chunk.choices[0]?.delta.content) abort.abort()
      })
      await world.provider.arrived()
      if (steps[0] !== undefined && !('steps' in steps[0])) abort.abort()
      expect(await ended.catch((thrown: unknown) => thrown)).toSatisfy(
        (thrown) => thrown === undefined || thrown instanceof Sdk.APIUserAbortError,
      )
      await world.provider.peerClosed()
    }
  })

  test('fields that nobody knows go through; of the SDK’s own headers none does', async () => {
    await using world = await clientWorld(completion('Hi', 9, 3, { extension: { deep: [1, null] } }))
    const asked = { ...HELLO, seed: 9_007_199_254_740_991, logit_bias: null, from_tomorrow: { deep: [1, null, 'ä'] } }
    const answer = await sdk(world.gateway).chat.completions.create(asked)
    expect(answer).toMatchObject({ extension: { deep: [1, null] } })
    const request = await world.provider.arrived()
    expect(request.json()).toMatchObject({ from_tomorrow: asked.from_tomorrow, logit_bias: null, seed: asked.seed })
    expect(request.headers.filter(([name]) => /stainless|organization|project/i.test(name))).toEqual([])
    expect(request.header('authorization')).not.toContain(world.gateway.key)
  })
})
