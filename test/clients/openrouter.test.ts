import { expect, test } from 'bun:test'
import { OpenRouter } from '@openrouter/sdk'
import type { ChatStreamChunk } from '@openrouter/sdk/models'
import * as errors from '@openrouter/sdk/models/errors'
import {
  clientWorld,
  embeddingsAnswer,
  helloStream,
  refuseEach,
  toolAnswer,
  toolStream,
} from '../support/client-world.ts'
import { bearer, startGateway, type TestGateway } from '../support/gateway.ts'
import { close, hang, json } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { completion, done, event, role, sse, text, usage } from '../support/sse.ts'
import { eventually } from '../support/wire-chat.ts'
import { managementKey } from '../support/wire-reports.ts'
import { responseEvents, responseJson, responseSse } from '../support/wire-responses.ts'

const HELLO = { model: 'm1', maxTokens: 16, messages: [{ role: 'user' as const, content: 'Hello' }] }
const CLASSES: Readonly<Record<number, new (...args: never[]) => Error>> = {
  400: errors.BadRequestResponseError,
  401: errors.UnauthorizedResponseError,
  402: errors.PaymentRequiredResponseError,
  403: errors.ForbiddenResponseError,
  404: errors.NotFoundResponseError,
  413: errors.PayloadTooLargeResponseError,
  422: errors.UnprocessableEntityResponseError,
  429: errors.TooManyRequestsResponseError,
  502: errors.BadGatewayResponseError,
}

/** Left to itself it repeats what fails for an hour. */
const sdk = (gateway: TestGateway, apiKey = gateway.key) =>
  new OpenRouter({
    apiKey,
    serverURL: `${gateway.origin}/api/v1`,
    httpReferer: 'https://app.example',
    appTitle: 'App',
    retryConfig: { strategy: 'none' },
  })

const streamOf = (gateway: TestGateway, signal?: AbortSignal) =>
  sdk(gateway).chat.send(
    { chatRequest: { ...HELLO, stream: true } },
    { ...(signal === undefined ? {} : { signal }) },
  ) as unknown as Promise<AsyncIterable<ChatStreamChunk>>

test('chat, plain: the SDK checks every field of the answer', async () => {
  await using world = await clientWorld(completion('Hello back', 9, 3))
  const answer = await sdk(world.gateway).chat.send({ chatRequest: HELLO })
  if (!('choices' in answer)) throw new Error('no completion')
  expect(answer.choices[0]?.message.content).toBe('Hello back')
  expect(answer.usage).toMatchObject({ totalTokens: 12, cost: 0.000066 })
  expect(answer.id).toMatch(/^gen-/)
})

test('chat as a stream, with usage', async () => {
  await using world = await clientWorld(helloStream())
  const chunks = await Array.fromAsync(await streamOf(world.gateway))
  expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Hello')
  expect(chunks.at(-1)?.usage?.totalTokens).toBe(12)
})

test('a tool call, plain and as a stream', async () => {
  await using world = await clientWorld(toolAnswer(), toolStream())
  const plain = await sdk(world.gateway).chat.send({ chatRequest: HELLO })
  if (!('choices' in plain)) throw new Error('no completion')
  expect(plain.choices[0]?.message.toolCalls?.[0]?.function.arguments).toBe('{"city":"Oslo"}')
  const chunks = await Array.fromAsync(await streamOf(world.gateway))
  const pieces = chunks.flatMap((chunk) => chunk.choices[0]?.delta.toolCalls ?? [])
  expect(pieces.map((piece) => piece.function?.arguments ?? '').join('')).toBe('{"city":"Oslo"}')
  const messages = [
    ...HELLO.messages,
    { role: 'assistant' as const, toolCalls: plain.choices[0]?.message.toolCalls ?? [] },
    { role: 'tool' as const, toolCallId: 'call_1', content: 'rain' },
  ]
  world.provider.script(completion('It rains', 9, 3))
  await sdk(world.gateway).chat.send({ chatRequest: { ...HELLO, messages } })
  expect((await world.provider.arrived(3)).json()).toMatchObject({
    messages: [{}, { tool_calls: [{ id: 'call_1' }] }, { tool_call_id: 'call_1' }],
  })
})

test('an answer in a schema', async () => {
  await using world = await clientWorld(completion('{"city":"Oslo"}', 9, 3))
  const jsonSchema = { name: 'city', schema: { type: 'object' } }
  await sdk(world.gateway).chat.send({ chatRequest: { ...HELLO, responseFormat: { type: 'json_schema', jsonSchema } } })
  expect((await world.provider.arrived()).json()).toMatchObject({ response_format: { json_schema: { name: 'city' } } })
})

test('embeddings', async () => {
  await using world = await clientWorld(embeddingsAnswer('float'))
  const answer = await sdk(world.gateway).embeddings.generate({ requestBody: { model: 'm1', input: ['a', 'b'] } })
  if (typeof answer === 'string') throw new Error('no embeddings')
  expect(answer.data.map(({ embedding }) => embedding)).toEqual([
    [1, 2],
    [0.5, -2],
  ])
})

test('pictures', async () => {
  const picture = { created: 1, data: [{ b64_json: 'AAAA' }], usage: { input_tokens: 5, output_tokens: 7 } }
  await using world = await clientWorld(json(200, picture))
  const answer = await sdk(world.gateway).images.generate({ imageGenerationRequest: { model: 'm1', prompt: 'A city' } })
  expect(answer).toMatchObject({
    data: [{ b64Json: 'AAAA' }],
    usage: { promptTokens: 5, completionTokens: 7, cost: 0.00009 },
  })
})

test('pictures as a stream', async () => {
  const shown = { type: 'image_generation.partial_image', partial_image_index: 0, b64_json: 'AA', created_at: 1 }
  const whole = { type: 'image_generation.completed', b64_json: 'AAAA', created_at: 1 }
  const ends = { ...whole, usage: { input_tokens: 5, output_tokens: 7, total_tokens: 12 } }
  await using world = await clientWorld(sse(event(shown), event(ends)))
  const imageGenerationRequest = { model: 'm1', prompt: 'A city', stream: true }
  const stream = (await sdk(world.gateway).images.generate({ imageGenerationRequest })) as unknown
  const seen = await Array.fromAsync(stream as AsyncIterable<object>)
  expect(seen).toMatchObject([
    { type: shown.type, b64Json: 'AA' },
    { type: whole.type, created: 1, usage: { promptTokens: 5, completionTokens: 7, cost: 0.00009 } },
  ])
})

test('a transcript', async () => {
  const usage = { type: 'tokens', input_tokens: 5, output_tokens: 7, total_tokens: 12 }
  await using world = await clientWorld(json(200, { text: 'Hello', usage }))
  const file = { fileName: 'a.wav', content: new Blob(['sound']) }
  const answer = await sdk(world.gateway).stt.createTranscriptionMultipart({ requestBody: { model: 'm1', file } })
  expect(answer).toMatchObject({ text: 'Hello', usage: { inputTokens: 5, outputTokens: 7, cost: 0.00009 } })
})

test('a transcript of a sound in JSON', async () => {
  await using world = await clientWorld(json(200, { text: 'Hello', usage: { type: 'duration', seconds: 2 } }))
  const inputAudio = { data: Buffer.from('sound').toString('base64'), format: 'wav' }
  const sttRequest = { model: 'm1', inputAudio, timestampGranularities: ['word' as const] }
  expect(await sdk(world.gateway).stt.createTranscription({ sttRequest })).toMatchObject({ text: 'Hello' })
  const form = (await world.provider.arrived()).body.toString()
  expect(form).toContain('name="timestamp_granularities[]"\r\n\r\nword')
  expect(form).toContain('filename="audio.wav"')
})

test('what an account is told of its requests', async () => {
  await using world = await clientWorld(completion('Hello back', 9, 3))
  const { gateway } = world
  const answer = await sdk(gateway).chat.send({ chatRequest: HELLO })
  if (!('choices' in answer)) throw new Error('no completion')
  const { data } = await sdk(gateway).generations.getGeneration({ id: answer.id })
  const told = { id: answer.id, model: 'm1', providerName: 'mock', totalCost: 0.000066, workspaceId: gateway.account }
  expect(data).toMatchObject({ ...told, providerResponses: [{ providerName: 'mock', status: 200 }] })
  const row = await eventually(async () => (await sdk(gateway).analytics.getUserActivity()).data[0])
  expect(row).toMatchObject({ model: 'm1', providerName: 'mock', requests: 1, usage: 0.000066 })
  expect((await sdk(gateway).credits.getCredits()).data.totalUsage).toBe(0.000066)
})

test('what a request said and was answered', async () => {
  const refusal = { error: { message: 'No such thing.', type: 'invalid_request_error' } }
  await using world = await clientWorld(completion('Hello back', 9, 3), json(400, refusal), embeddingsAnswer('float'))
  const { gateway } = world
  const kept = await gateway.admin('PATCH', `/accounts/${gateway.account}`, { store_content: true })
  expect(kept.status).toBe(200)
  /** Asks, and answers what is kept of it. */
  const contentOf = async (path: string, body: object) => {
    const request = { method: 'POST', headers: bearer(gateway), body: JSON.stringify(body) }
    const { headers } = await fetch(`${gateway.origin}/api/v1/${path}`, request)
    const id = headers.get('x-generation-id') ?? ''
    return await eventually(async () => {
      const answer = sdk(gateway).generations.listGenerationContent({ id })
      return (await answer.catch(unlessNotFound))?.data
    })
  }
  const chat = { model: 'm1', messages: HELLO.messages }
  expect(await contentOf('chat/completions', chat)).toMatchObject({
    input: { messages: HELLO.messages },
    output: { completion: 'Hello back', reasoning: null },
    error: null,
  })
  const error = { message: 'provider_refused', status: 400, providerName: 'mock', previousErrors: [], raw: null }
  expect(await contentOf('chat/completions', chat)).toMatchObject({ error })
  expect(await contentOf('embeddings', { model: 'm1', input: 'Hello' })).toMatchObject({
    input: { prompt: '{"model":"m1","input":"Hello"}' },
    output: { completion: null },
  })
})

/** Rows come a moment after answers. */
function unlessNotFound(error: unknown): undefined {
  if (!(error instanceof errors.NotFoundResponseError)) throw error
}

test('keys, with a management key', async () => {
  await using world = await clientWorld()
  const { gateway } = world
  const { authorization = '' } = await managementKey(gateway, 'read', 'write')
  const { apiKeys } = sdk(gateway, authorization.slice('Bearer '.length))
  const made = await apiKeys.create({ requestBody: { name: 'theirs', limit: 5, workspaceId: gateway.account } })
  const { hash } = made.data
  expect((await apiKeys.list({ workspaceId: gateway.account })).data.map(({ name }) => name)).toEqual([
    'theirs',
    'test',
  ])
  expect((await apiKeys.update({ hash, requestBody: { limit: 7 } })).data.limit).toBe(7)
  expect((await apiKeys.get({ hash })).data).toMatchObject({ name: 'theirs', limit: 7, workspaceId: gateway.account })
  expect(await apiKeys.delete({ hash })).toEqual({ deleted: true })
})

test('offers and providers', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({
    offers: { 'a/one': [{ provider, of: { id: 'acme', data: { retention: 'none' } } }] },
  })
  const { endpoints, models, providers } = sdk(gateway)
  const model = { author: 'a', slug: 'one' }
  expect((await endpoints.list(model)).data.endpoints).toMatchObject([{ providerName: 'acme', modelId: 'a/one' }])
  expect((await endpoints.listZdrEndpoints()).data).toMatchObject([{ providerName: 'acme' }])
  expect((await providers.list()).data).toMatchObject([{ slug: 'acme' }])
  expect([(await models.get(model)).data.id, (await models.count()).data.count]).toEqual(['a/one', 2])
})

test('a stream whose provider says null and nothing where it could be silent', async () => {
  const odd = (delta: object, reason: string | null = null) =>
    event({ id: '', object: '', created: 1.5, model: '', choices: [{ index: 0, delta, finish_reason: reason }] })
  const piece = (id: string | null, name: string | null, args: string) => ({
    role: null,
    content: null,
    reasoning_details: null,
    tool_calls: [{ index: 0, id, type: id === null ? null : 'function', function: { name, arguments: args } }],
  })
  await using world = await clientWorld(
    sse(
      odd({ role: 'assistant', reasoning_content: 'Hm' }),
      odd(piece('call_1', 'weather', '')),
      odd(piece(null, null, '{}')),
      odd({}, 'tool_calls'),
      usage(9, 3),
      done(),
    ),
  )
  const chunks = await Array.fromAsync(await streamOf(world.gateway))
  const deltas = chunks.flatMap(({ choices }) => choices[0]?.delta ?? [])
  expect(deltas.map(({ reasoning }) => reasoning ?? '').join('')).toBe('Hm')
  const pieces = deltas.flatMap(({ toolCalls }) => toolCalls ?? [])
  expect(pieces.map((call) => call.function?.arguments ?? '').join('')).toBe('{}')
})

test('models and the key', async () => {
  await using world = await clientWorld()
  const { gateway } = world
  const pages = await Array.fromAsync(await sdk(gateway).models.list())
  expect(pages[0]?.result.data.map(({ id }) => id)).toContain('m1')
  const { data } = await sdk(gateway).apiKeys.getCurrentKeyMetadata()
  expect([data.label, data.workspaceId]).toEqual([gateway.key.slice(0, data.label.length), gateway.account])
})

test('models that make vectors', async () => {
  await using provider = await scriptedProvider()
  const vectors = { operations: ['embeddings'] }
  await using gateway = await startGateway({ offers: { m1: [{ provider }], v1: [{ provider, offer: vectors }] } })
  const pages = await Array.fromAsync(await sdk(gateway).embeddings.listModels())
  expect(pages.flatMap(({ result }) => result.data.map(({ id }) => id))).toEqual(['v1'])
})

test('responses, plain and as a stream, of a provider that leaves out what OpenAI always says', async () => {
  const events = responseEvents(['Hel', 'lo']).map((event) =>
    event.type.startsWith('response.output_text') ? { ...event, logprobs: [] } : event,
  )
  await using world = await clientWorld(responseJson({ error: undefined }), responseSse(events))
  const asked = { model: 'm1', input: 'Hello' }
  const plain = await sdk(world.gateway).responses.send({ responsesRequest: asked })
  expect(plain).toMatchObject({ status: 'completed', output: [{ type: 'message', content: [{ text: 'Hello' }] }] })
  const stream = (await sdk(world.gateway).responses.send({
    responsesRequest: { ...asked, stream: true },
  })) as unknown as AsyncIterable<{ type: string; response?: unknown }>
  const seen = await Array.fromAsync(stream)
  expect(seen.map(({ type }) => type)).toEqual(events.map(({ type }) => type))
  expect(seen.at(-1)).toMatchObject({ response: { status: 'completed', usage: { totalTokens: 15 } } })
})

test('each failure is the error class that SDK users catch', async () => {
  const { wanted, found } = await refuseEach(
    (gateway, { model, maxTokens, key, isEmpty }) =>
      sdk(gateway, key).chat.send({ chatRequest: { model, maxTokens, messages: isEmpty ? [] : HELLO.messages } }),
    (thrown, name) => {
      if (!(thrown instanceof errors.OpenRouterError)) return thrown
      const wantedClass = CLASSES[thrown.statusCode]
      if (wantedClass === undefined || !(thrown instanceof wantedClass)) return thrown
      const body = JSON.parse(thrown.body)
      expect(body.error.code).toBe(thrown.statusCode)
      expect(thrown.message).toBe(body.error.message)
      if (name === 'provider 429') expect(Number(thrown.headers.get('retry-after'))).toBeGreaterThan(0)
      return thrown.statusCode
    },
  )
  expect(found).toEqual(wanted)
})

test('a stream that breaks says so in its last chunk', async () => {
  await using world = await clientWorld(sse(role(), text('Hel'), close()))
  const chunks = await Array.fromAsync(await streamOf(world.gateway))
  expect(chunks.at(-1)).toMatchObject({ error: { code: 502 }, choices: [{ finishReason: 'error' }] })
})

test('an abort in mid-stream reaches the provider', async () => {
  await using world = await clientWorld(sse(role(), text('y'.repeat(60)), hang()))
  const abort = new AbortController()
  const read = async () => {
    for await (const chunk of await streamOf(world.gateway, abort.signal))
      if (chunk.choices[0]?.delta.content) abort.abort()
  }
  await read().catch(() => {})
  await world.provider.peerClosed()
})

test('what the SDK says of the app is recorded, and not told to the provider', async () => {
  await using world = await clientWorld(completion('Hi', 9, 3))
  await sdk(world.gateway).chat.send({ chatRequest: HELLO })
  const request = await world.provider.arrived()
  expect(request.headers.map(([name]) => name.toLowerCase())).not.toContain('http-referer')
  expect(request.raw.toString()).not.toContain('app.example')
  const record = await eventually(async () => (await world.gateway.admin('GET', '/records')).body.data[0])
  expect(record).toMatchObject({ client: { referer: 'https://app.example', title: 'App' } })
})
