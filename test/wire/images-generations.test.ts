import { expect, test } from 'bun:test'
import { close, json, send } from '../support/script.ts'
import { balanceOf, errorOf, settlementOf } from '../support/wire-chat.ts'
import { operate, operationWorld, typedEvent, typedSse } from '../support/wire-operations.ts'

const PATH = '/v1/images/generations'
const BY_IMAGE = { price: { input: '0', output: '0', per_image: '0.04' } }
const USAGE = {
  input_tokens: 50,
  output_tokens: 272,
  total_tokens: 322,
  input_tokens_details: { text_tokens: 10, image_tokens: 40 },
  output_tokens_details: { image_tokens: 272, text_tokens: 0 },
}
const partial = (at: number) => ({ type: 'image_generation.partial_image', b64_json: 'AAAA', partial_image_index: at })
const completed = { type: 'image_generation.completed', b64_json: 'BBBB', created_at: 1, usage: USAGE }

test('pictures are billed by the tokens that are reported, by kind', async () => {
  const answer = { created: 1, data: [{ b64_json: 'BBBB' }], usage: USAGE }
  await using world = await operationWorld({}, json(answer))
  const asked = { prompt: 'A city', n: 1, quality: 'low', size: '1024x1024' }
  expect(await operate(world.gateway, PATH, asked).json()).toEqual(answer)
  const request = await world.provider.arrived()
  expect(request.target).toBe('/v1/images/generations')
  expect(request.json()).toEqual({ ...asked, model: 'provider-m1' })
  expect(await settlementOf(world.gateway)).toMatchObject({
    usage: { input: 10, input_image: 40, output_image: 272, images: 1 },
    usage_source: 'reported',
    charged_nano: (50 * 4 + 272 * 10) * 1000,
  })
})

test('or each by its price, as many as were delivered or asked for', async () => {
  await using world = await operationWorld(
    BY_IMAGE,
    json({ created: 1, data: [{ url: 'https://x.example/1' }, { b64_json: 'B' }] }),
  )
  await operate(world.gateway, PATH, { prompt: 'A city', n: 2 }).text()
  expect(await settlementOf(world.gateway)).toMatchObject({ charged_nano: 80_000_000 })
  expect(await errorOf(operate(world.gateway, PATH, { prompt: 'A city', n: 30 }))).toMatchObject({ status: 402 })
})

test('a stream keeps the names of its events, comes as it is made, and asks for nothing of its own', async () => {
  const script = typedSse(typedEvent(partial(0)), { gate: 'later' }, typedEvent(completed))
  await using world = await operationWorld({}, script)
  const answer = operate(world.gateway, PATH, { prompt: 'A city', stream: true, partial_images: 1 })
  expect((await answer.head()).header('content-type')).toContain('text/event-stream')
  await answer.untilEvents(1)
  world.provider.release('later')
  await answer.text()
  expect(answer.events.map(({ type, data }) => [type, JSON.parse(data)])).toEqual([
    ['image_generation.partial_image', partial(0)],
    ['image_generation.completed', completed],
  ])
  expect((await world.provider.arrived()).json()).not.toHaveProperty('stream_options')
  expect(await settlementOf(world.gateway)).toMatchObject({
    usage: { output_image: 272, images: 1 },
    usage_source: 'reported',
  })
})

test('a stream that ends without its picture ends with an error, and so does one that is cut', async () => {
  await using world = await operationWorld(
    {},
    typedSse(typedEvent(partial(0))),
    typedSse(typedEvent(partial(0)), close()),
    typedSse(
      typedEvent(partial(0)),
      send('event: error\ndata: {"type":"error","error":{"message":"out of paint"}}\n\n'),
    ),
  )
  for (let at = 0; at < 3; at++) {
    const answer = operate(world.gateway, PATH, { prompt: 'A city', stream: true })
    await answer.text()
    expect(JSON.parse(answer.events.at(-1)?.data ?? '')).toMatchObject({ error: { code: 'stream_broken' } })
    expect(answer.textSoFar).not.toContain('[DONE]')
  }
})

test('what breaks behind the last picture takes nothing from it; with one still to come the stream is broken', async () => {
  const cut = typedSse(typedEvent(completed), close())
  await using world = await operationWorld({}, cut, cut)
  const lastSaid = async (n: number) => {
    const answer = operate(world.gateway, PATH, { prompt: 'A city', n, stream: true })
    await answer.text()
    return JSON.parse(answer.events.at(-1)?.data ?? '')
  }
  expect(await lastSaid(1)).toEqual(completed)
  expect(await lastSaid(2)).toMatchObject({ error: { code: 'stream_broken' } })
})

test('an error before the first picture is the provider’s refusal', async () => {
  await using world = await operationWorld(
    {},
    json(400, { error: { message: 'not this', code: 'moderation_blocked', param: null } }),
  )
  expect(await errorOf(operate(world.gateway, PATH, { prompt: 'A city', stream: true }))).toMatchObject({
    status: 400,
    code: 'moderation_blocked',
  })
  expect(await balanceOf(world.gateway)).toBe(1_000_000_000)
})

test('whole pictures where a stream was asked for come as its events', async () => {
  await using world = await operationWorld(
    {},
    json({ created: 1, data: [{ b64_json: 'AAAA' }, { b64_json: 'BBBB' }], usage: USAGE }),
  )
  const answer = operate(world.gateway, PATH, { prompt: 'A city', n: 2, stream: true })
  await answer.text()
  expect(answer.events.map(({ type, data }) => [type, JSON.parse(data).b64_json])).toEqual([
    ['image_generation.completed', 'AAAA'],
    ['image_generation.completed', 'BBBB'],
  ])
  expect(await settlementOf(world.gateway)).toMatchObject({ usage: { output_image: 272 } })
})

test('on /api/v1 the cost is told where the usage is, and an error event has the status as its code', async () => {
  await using world = await operationWorld(
    {},
    json({ created: 1, data: [{ b64_json: 'BBBB' }], usage: USAGE }),
    typedSse(typedEvent(completed)),
    typedSse(typedEvent(partial(0)), close()),
  )
  const path = '/api/v1/images/generations'
  const usage = { ...USAGE, prompt_tokens: 50, completion_tokens: 272, is_byok: false, cost: 0.00292 }
  const marks = { id: expect.stringMatching(/^gen-/), provider: 'mock', model: 'm1' }
  expect(await operate(world.gateway, path, { prompt: 'A city' }).json()).toEqual({
    ...marks,
    created: 1,
    data: [{ b64_json: 'BBBB' }],
    usage,
  })
  const stream = operate(world.gateway, '/api/v1/images', { prompt: 'A city', stream: true }) // as OpenRouter calls it
  await stream.text()
  expect((await world.provider.arrived(2)).target).toBe('/v1/images/generations')
  expect(JSON.parse(stream.events[0]?.data ?? '')).toEqual({ ...completed, created: 1, usage })
  const broken = operate(world.gateway, path, { prompt: 'A city', stream: true })
  await broken.text()
  expect(JSON.parse(broken.events.at(-1)?.data ?? '')).toMatchObject({ type: 'error', ...marks, error: { code: 502 } })
})
