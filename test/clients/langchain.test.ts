import { expect, test } from 'bun:test'
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
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
import { close, hang } from '../support/script.ts'
import { completion, role, sse, text } from '../support/sse.ts'
import { responseEvents, responseJson, responseSse } from '../support/wire-responses.ts'

const CITY = z.object({ city: z.string() })
const weather = tool(({ city }) => `rain in ${city}`, { name: 'weather', description: 'tells it', schema: CITY })

const chatOf = (gateway: TestGateway, more: ConstructorParameters<typeof ChatOpenAI>[0] & object = {}) =>
  new ChatOpenAI({
    model: 'm1',
    apiKey: gateway.key,
    configuration: { baseURL: gateway.baseUrl },
    maxRetries: 0,
    maxTokens: 16,
    ...more,
  })

test('chat, plain and as a stream', async () => {
  await using world = await clientWorld(completion('Hello back', 9, 3), helloStream())
  const chat = chatOf(world.gateway)
  const answer = await chat.invoke('Hello')
  expect([answer.content, answer.usage_metadata?.total_tokens]).toEqual(['Hello back', 12])
  const chunks = await Array.fromAsync(await chat.stream('Hello'))
  const whole = chunks.reduce((sum, chunk) => sum.concat(chunk))
  expect([whole.content, whole.usage_metadata?.total_tokens]).toEqual(['Hello', 12])
})

test('a tool round trip, plain and as a stream', async () => {
  await using world = await clientWorld(toolAnswer(), completion('It rains', 9, 3), toolStream())
  const chat = chatOf(world.gateway).bindTools([weather])
  const asked = await chat.invoke('Hello')
  const call = asked.tool_calls?.[0]
  expect(call).toMatchObject({ name: 'weather', args: { city: 'Oslo' }, id: 'call_1' })
  const said = new ToolMessage({ content: await weather.invoke({ city: 'Oslo' }), tool_call_id: call?.id ?? '' })
  expect((await chat.invoke([new HumanMessage('Hello'), asked, said])).content).toBe('It rains')
  expect((await world.provider.arrived(2)).json()).toMatchObject({
    messages: [{}, { tool_calls: [{ id: 'call_1' }] }, { role: 'tool', content: 'rain in Oslo' }],
  })
  const chunks = await Array.fromAsync(await chat.stream('Hello'))
  expect(chunks.reduce((sum, chunk) => sum.concat(chunk)).tool_calls).toMatchObject([{ args: { city: 'Oslo' } }])
})

test('an answer in a schema', async () => {
  await using world = await clientWorld(completion('{"city":"Oslo"}', 9, 3))
  const chat = chatOf(world.gateway).withStructuredOutput(CITY, { method: 'jsonSchema' })
  expect(await chat.invoke('Hello')).toEqual({ city: 'Oslo' })
  expect((await world.provider.arrived()).json()).toMatchObject({ response_format: { type: 'json_schema' } })
})

test('responses, plain and as a stream', async () => {
  await using world = await clientWorld(responseJson(), responseSse(responseEvents(['Hel', 'lo'])))
  const chat = chatOf(world.gateway, { useResponsesApi: true })
  expect((await chat.invoke('Hello')).text).toBe('Hello')
  const chunks = await Array.fromAsync(await chat.stream('Hello'))
  expect(chunks.reduce((sum, chunk) => sum.concat(chunk)).text).toBe('Hello')
})

test('embeddings', async () => {
  await using world = await clientWorld(embeddingsAnswer('base64'))
  const { key, baseUrl } = world.gateway
  const embeddings = new OpenAIEmbeddings({ model: 'm1', apiKey: key, configuration: { baseURL: baseUrl } })
  expect(await embeddings.embedDocuments(['a', 'b'])).toEqual([
    [1, 2],
    [0.5, -2],
  ])
})

test('each failure has its status', async () => {
  const { wanted, found } = await refuseEach(
    (gateway, { model, maxTokens, key, isEmpty }) =>
      chatOf(gateway, { model, maxTokens, apiKey: key }).invoke(isEmpty ? [] : 'Hello'),
    (thrown) => (thrown instanceof Error && 'status' in thrown ? thrown.status : thrown),
  )
  expect(found).toEqual(wanted)
})

test('a stream that breaks throws', async () => {
  await using world = await clientWorld(sse(role(), text('Hel'), close()))
  const chunks = Array.fromAsync(await chatOf(world.gateway).stream('Hello'))
  await expect(chunks).rejects.toThrow('broke off')
})

test('an abort in mid-stream reaches the provider', async () => {
  await using world = await clientWorld(sse(role(), text('y'.repeat(60)), hang()))
  const abort = new AbortController()
  const read = async () => {
    for await (const chunk of await chatOf(world.gateway).stream('Hello', { signal: abort.signal }))
      if (chunk.content) abort.abort()
  }
  await read().catch(() => {})
  await world.provider.peerClosed()
})

test('fields that nobody knows go through', async () => {
  await using world = await clientWorld(completion('Hi', 9, 3))
  await chatOf(world.gateway, { modelKwargs: { from_tomorrow: { deep: [1, null] } } }).invoke('Hello')
  expect((await world.provider.arrived()).json()).toMatchObject({ from_tomorrow: { deep: [1, null] } })
})
