import { describe, expect, test } from 'bun:test'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createOpenRouter } from '@openrouter/ai-sdk-provider'
import {
  APICallError,
  embedMany,
  generateImage,
  generateText,
  type LanguageModel,
  Output,
  stepCountIs,
  streamText,
  tool,
} from 'ai'
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
import { close, hang, json } from '../support/script.ts'
import { completion, role, sse, text } from '../support/sse.ts'
import { responseEvents, responseJson, responseSse } from '../support/wire-responses.ts'

const CITY = z.object({ city: z.string() })

const compatible = (gateway: TestGateway, apiKey = gateway.key) =>
  createOpenAICompatible({
    name: 'anyrouter',
    baseURL: gateway.baseUrl,
    apiKey,
    includeUsage: true,
    supportsStructuredOutputs: true,
  })
const openai = (gateway: TestGateway, apiKey = gateway.key) => createOpenAI({ baseURL: gateway.baseUrl, apiKey })
const openrouter = (gateway: TestGateway, apiKey = gateway.key) =>
  createOpenRouter({ baseURL: `${gateway.origin}/api/v1`, apiKey, compatibility: 'strict' })

type Make = (gateway: TestGateway, model?: string, key?: string) => LanguageModel
const CHATS: readonly (readonly [string, Make])[] = [
  ['@ai-sdk/openai-compatible', (gateway, model = 'm1', key?) => compatible(gateway, key).chatModel(model)],
  ['@ai-sdk/openai', (gateway, model = 'm1', key?) => openai(gateway, key).chat(model)],
  ['@openrouter/ai-sdk-provider', (gateway, model = 'm1', key?) => openrouter(gateway, key).chat(model)],
]

describe.each(CHATS)('%s', (name, model) => {
  const asked = (gateway: TestGateway) => ({
    model: model(gateway),
    prompt: 'Hello',
    maxOutputTokens: 16,
    maxRetries: 0,
    onError: () => {},
  })

  test('text, plain and as a stream', async () => {
    await using world = await clientWorld(completion('Hello back', 9, 3), helloStream())
    const plain = await generateText(asked(world.gateway))
    expect([plain.text, plain.usage.totalTokens, plain.finishReason]).toEqual(['Hello back', 12, 'stop'])
    const stream = streamText(asked(world.gateway))
    expect((await Array.fromAsync(stream.textStream)).join('')).toBe('Hello')
    expect([(await stream.usage).totalTokens, await stream.finishReason]).toEqual([12, 'stop'])
  })

  test('a tool that the SDK runs, plain and as a stream', async () => {
    await using world = await clientWorld(toolAnswer(), completion('It rains', 9, 3), toolStream(), helloStream())
    const cities: string[] = []
    const weather = tool({
      inputSchema: CITY,
      execute: ({ city }) => {
        cities.push(city)
        return 'rain'
      },
    })
    const withTools = { ...asked(world.gateway), tools: { weather }, stopWhen: stepCountIs(2) }
    expect((await generateText(withTools)).text).toBe('It rains')
    const stream = streamText(withTools)
    expect(await stream.text).toBe('Hello')
    expect(cities).toEqual(['Oslo', 'Oslo'])
    expect((await world.provider.arrived(4)).json()).toMatchObject({
      messages: [{ role: 'user' }, { tool_calls: [{ id: 'call_1' }] }, { role: 'tool', tool_call_id: 'call_1' }],
    })
  })

  test('an object in a schema', async () => {
    await using world = await clientWorld(completion('{"city":"Oslo"}', 9, 3))
    const output = Output.object({ schema: CITY })
    const answer = await generateText({ ...asked(world.gateway), output })
    expect(answer.output).toEqual({ city: 'Oslo' })
    expect((await world.provider.arrived()).json()).toMatchObject({ response_format: { type: 'json_schema' } })
  })

  test('each failure has its status, and says whether to try again', async () => {
    const { wanted, found } = await refuseEach(
      (gateway, { model: id, maxTokens, key }) =>
        generateText({
          model: model(gateway, id, key),
          prompt: 'Hello',
          maxOutputTokens: maxTokens,
          maxRetries: 0,
        }),
      (thrown, refusal) => {
        if (!APICallError.isInstance(thrown)) return thrown
        expect(thrown.message.length).toBeGreaterThan(3)
        if (refusal === 'provider 400') expect(thrown.message).toContain('too hot')
        if (refusal === 'provider 429') expect(Number(thrown.responseHeaders?.['retry-after'])).toBeGreaterThan(0)
        return thrown.statusCode
      },
      // Of an empty prompt the SDK makes a message of its own, which the provider has to judge.
      { without: ['empty'] },
    )
    expect(found).toEqual(wanted)
  })

  test('a stream that breaks is an error part', async () => {
    await using world = await clientWorld(sse(role(), text('Hel'), close()))
    const parts = await Array.fromAsync(streamText(asked(world.gateway)).fullStream)
    const types = parts.map(({ type }) => type)
    expect(types).toContain('text-delta')
    expect(types).toContain('error')
  })

  test('an abort in mid-stream reaches the provider', async () => {
    await using world = await clientWorld(sse(role(), text('y'.repeat(60)), hang()))
    const abort = new AbortController()
    const stream = streamText({ ...asked(world.gateway), abortSignal: abort.signal })
    for await (const part of stream.fullStream) if (part.type === 'text-delta') abort.abort()
    await world.provider.peerClosed()
  })

  test('options that nobody knows go through', async () => {
    await using world = await clientWorld(completion('Hi', 9, 3))
    const key = name === '@openrouter/ai-sdk-provider' ? 'openrouter' : 'anyrouter'
    await generateText({ ...asked(world.gateway), providerOptions: { [key]: { from_tomorrow: { deep: [1, null] } } } })
    const sent = (await world.provider.arrived()).json()
    // @ai-sdk/openai lets no option pass that it does not know.
    if (name !== '@ai-sdk/openai') expect(sent).toMatchObject({ from_tomorrow: { deep: [1, null] } })
    expect(sent).toMatchObject({ max_tokens: 16, messages: [{ role: 'user' }] })
  })
})

test('embeddings', async () => {
  await using world = await clientWorld(embeddingsAnswer('float'))
  const { gateway } = world
  const models = [
    compatible(gateway).embeddingModel('m1'),
    openai(gateway).embedding('m1'),
    openrouter(gateway).textEmbeddingModel('m1'),
  ]
  for (const model of models) {
    const { embeddings, usage } = await embedMany({ model, values: ['a', 'b'], maxRetries: 0 })
    expect(embeddings).toEqual([
      [1, 2],
      [0.5, -2],
    ])
    expect(usage.tokens).toBe(4)
  }
})

test('responses, which @ai-sdk/openai asks for by default', async () => {
  await using world = await clientWorld(responseJson(), responseSse(responseEvents(['Hel', 'lo'])))
  const asked = { model: openai(world.gateway)('m1'), prompt: 'Hello', maxRetries: 0 }
  expect((await generateText(asked)).text).toBe('Hello')
  const stream = streamText(asked)
  expect([await stream.text, (await stream.usage).totalTokens]).toEqual(['Hello', 15])
})

test('pictures, at the path and with the usage that OpenRouter’s provider insists on', async () => {
  const usage = { input_tokens: 5, output_tokens: 7, total_tokens: 12 }
  await using world = await clientWorld(json(200, { created: 1, data: [{ b64_json: 'iVBORw0KGgo=' }], usage }))
  const model = openrouter(world.gateway).imageModel('m1')
  const { image, usage: told } = await generateImage({ model, prompt: 'A city', maxRetries: 0 })
  expect([image.base64, told]).toMatchObject(['iVBORw0KGgo=', { inputTokens: 5, outputTokens: 7, totalTokens: 12 }])
})

test('OpenRouter’s provider tells cost and who answered', async () => {
  await using world = await clientWorld(completion('Hi', 9, 3))
  const answer = await generateText({ model: openrouter(world.gateway).chat('m1'), prompt: 'Hello', maxRetries: 0 })
  expect(answer.providerMetadata?.openrouter).toMatchObject({ provider: 'mock', usage: { cost: 0.000066 } })
})
