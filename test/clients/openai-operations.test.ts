import { expect, test } from 'bun:test'
import OpenAI from 'openai'
import { startGateway } from '../support/gateway.ts'
import { close, end, json, type Part, script, sendBytes } from '../support/script.ts'
import { scriptedProvider } from '../support/scripted-provider.ts'
import { done, event, sse } from '../support/sse.ts'
import { operationWorld, typedEvent, typedSse } from '../support/wire-operations.ts'

const PRICE = { input: '4', output: '10', per_request: '0', per_million_characters: '15' }

/** A gateway with one provider that plays these scripts, and the SDK. */
async function worldOf(...parts: readonly Part[]) {
  const world = await operationWorld({ price: PRICE }, ...parts)
  const { baseUrl: baseURL, key: apiKey } = world.gateway
  return { ...world, sdk: new OpenAI({ baseURL, apiKey, maxRetries: 0 }) }
}

test('completions, plain and as a stream', async () => {
  const chunk = (text: string, reason: string | null) => ({
    ...{ id: 'cmpl-1', object: 'text_completion', created: 1, model: 'x' },
    choices: [{ index: 0, text, logprobs: null, finish_reason: reason }],
  })
  await using world = await worldOf(
    json(chunk(' a time', 'stop')),
    sse(event(chunk(' a', null)), event(chunk(' time', 'stop')), done()),
  )
  const { sdk } = world
  const plain = await sdk.completions.create({ model: 'm1', prompt: 'Once upon' })
  expect(plain.choices[0]?.text).toBe(' a time')
  let said = ''
  for await (const part of await sdk.completions.create({ model: 'm1', prompt: 'Once upon', stream: true }))
    said += part.choices[0]?.text ?? ''
  expect(said).toBe(' a time')
})

test('embeddings: the SDK asks for base64, and gets numbers in order whatever the provider sends', async () => {
  const rows = [
    { object: 'embedding', index: 1, embedding: [0.5, -2] },
    { object: 'embedding', index: 0, embedding: [1, 2] },
  ]
  await using world = await worldOf(
    json({ object: 'list', data: rows, model: 'x', usage: { prompt_tokens: 2, total_tokens: 2 } }),
  )
  const { sdk, provider } = world
  for (const format of [undefined, 'float' as const]) {
    const asked = { model: 'm1', input: ['a', 'b'], ...(format === undefined ? {} : { encoding_format: format }) }
    const { data } = await sdk.embeddings.create(asked)
    expect(data.map(({ embedding }) => [...embedding])).toEqual([
      [1, 2],
      [0.5, -2],
    ])
  }
  expect(provider.requests[0]?.json()).toMatchObject({ encoding_format: 'base64' })
})

test('moderations', async () => {
  await using world = await worldOf(json({ id: 'modr-1', model: 'x', results: [{ flagged: true }] }))
  const { results } = await world.sdk.moderations.create({ model: 'm1', input: 'I kill you' })
  expect(results[0]?.flagged).toBe(true)
})

test('pictures, plain, as a stream, and one that breaks off', async () => {
  const partial = { type: 'image_generation.partial_image', b64_json: 'AAAA', partial_image_index: 0 }
  const completed = { type: 'image_generation.completed', b64_json: 'BBBB' }
  await using world = await worldOf(
    json({ created: 1, data: [{ b64_json: 'BBBB' }] }),
    typedSse(typedEvent(partial), typedEvent(completed)),
    typedSse(typedEvent(partial), close()),
  )
  const { sdk } = world
  const asked = { model: 'm1', prompt: 'A city' }
  expect((await sdk.images.generate(asked)).data?.[0]?.b64_json).toBe('BBBB')
  const types: string[] = []
  for await (const part of await sdk.images.generate({ ...asked, stream: true })) types.push(part.type)
  expect(types).toEqual([partial.type, completed.type])
  const broken = await sdk.images.generate({ ...asked, stream: true })
  const reading = (async () => {
    for await (const _ of broken);
  })()
  await expect(reading).rejects.toThrow('broke off')
})

test('speech', async () => {
  const sound = Uint8Array.of(0x49, 0x44, 0x33, 0, 255)
  const head = { status: 200, headers: { 'content-type': 'audio/mpeg' } }
  await using world = await worldOf(script(head, sendBytes(sound), end()), script(head, sendBytes(sound), close()))
  const speak = () => world.sdk.audio.speech.create({ model: 'm1', input: 'Hello', voice: 'alloy' })
  const answer = await speak()
  expect(answer.headers.get('content-type')).toBe('audio/mpeg')
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(sound)
  const cut = await speak()
  await expect(cut.arrayBuffer()).rejects.toThrow()
})

test('an operation that a model has not is a BadRequestError', async () => {
  await using provider = await scriptedProvider()
  const offer = { operations: ['chat.completions'] }
  await using gateway = await startGateway({ offers: { m1: [{ provider, offer }] } })
  const sdk = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 })
  const error = await sdk.embeddings.create({ model: 'm1', input: 'a' }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(OpenAI.BadRequestError)
  expect(error).toMatchObject({ code: 'wrong_endpoint', param: 'model' })
})
