import { expect, test } from 'bun:test'
import OpenAI from 'openai'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { hang, json } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { done, finish, role, sse, text, toolCall, usage } from '../support/sse.ts'
import { settlementOf } from '../support/wire-chat.ts'

const MESSAGES: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello' }]

const sdk = (gateway: TestGateway) => new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 })

test('streaming, with and without usage', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(sse(role(), text('Hel'), text('lo'), finish(), usage(9, 3), done()))
  for (const wanted of [true, false]) {
    const stream = await sdk(gateway).chat.completions.create({
      model: 'm1',
      messages: MESSAGES,
      max_tokens: 16,
      stream: true,
      ...(wanted ? { stream_options: { include_usage: true } } : {}),
    })
    const chunks = await Array.fromAsync(stream)
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Hello')
    expect(chunks.filter((chunk) => chunk.usage != null).map((chunk) => chunk.usage?.total_tokens)).toEqual(
      wanted ? [12] : [],
    )
  }
})

test('the stream helper assembles a tool call', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(
    sse(
      role(),
      toolCall({ id: 'call_1', name: 'weather', arguments: '{"city":' }),
      toolCall({ arguments: '"Oslo"}' }),
      finish('tool_calls'),
      usage(20, 8),
      done(),
    ),
  )
  const stream = sdk(gateway).chat.completions.stream({
    model: 'm1',
    messages: MESSAGES,
    max_tokens: 64,
    tools: [
      {
        type: 'function',
        function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
      },
    ],
  })
  const final = await stream.finalChatCompletion()
  const call = final.choices[0]?.message.tool_calls?.[0]
  expect(call?.type === 'function' && call.function).toMatchObject({ name: 'weather', arguments: '{"city":"Oslo"}' })
  expect((await provider.arrived()).json()).toMatchObject({ tools: [{ function: { name: 'weather' } }] })
})

test('models', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { 'acme/one': [{ provider }], 'acme/two': [{ provider }] } })
  const listed = await Array.fromAsync(sdk(gateway).models.list())
  expect(listed.map(({ id }) => id)).toEqual(['acme/one', 'acme/two', 'anyrouter/auto'])
  expect((await sdk(gateway).models.retrieve('acme/two')).id).toBe('acme/two')
})

test('a failed answer that may have been executed is not sent again by the SDK', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(json(500, {}))
  const patient = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 2 })
  const request = patient.chat.completions.create({ model: 'm1', messages: MESSAGES, max_tokens: 4 })
  const error = await request.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(OpenAI.InternalServerError)
  expect(provider.requests.length).toBe(1)
})

test('an abort in mid-stream reaches the provider, and what was delivered is paid', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(sse(role(), text('y'.repeat(60)), hang()))
  const stream = await sdk(gateway).chat.completions.create({
    model: 'm1',
    messages: MESSAGES,
    max_tokens: 64,
    stream: true,
  })
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break
  await provider.peerClosed()
  expect(await settlementOf(gateway)).toMatchObject({ end: 'settled', reason: 'client_gone', usage: { output: 20 } })
})

test('a stream that breaks throws', async () => {
  await using provider = await scriptedProvider()
  await using gateway = await startGateway({ offers: { m1: [{ provider }] } })
  provider.script(sse(role(), text('Hel')))
  const stream = await sdk(gateway).chat.completions.create({
    model: 'm1',
    messages: MESSAGES,
    max_tokens: 64,
    stream: true,
  })
  await expect(Array.fromAsync(stream)).rejects.toThrow('broke off')
})
