import { expect, test } from 'bun:test'
import { close, json, send } from '../support/script.ts'
import { done, event, sse } from '../support/sse.ts'
import { chunksOf } from '../support/wire-api-v1.ts'
import { balanceOf, errorOf, settlementOf, timingOf } from '../support/wire-chat.ts'
import { operate, operationWorld } from '../support/wire-operations.ts'

const PATH = '/v1/completions'
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const chunk = (text: string, finishReason: string | null = null, index = 0) =>
  event({
    id: 'cmpl-1',
    object: 'text_completion',
    created: 1,
    model: 'provider-m1',
    choices: [{ index, text, logprobs: null, finish_reason: finishReason }],
  })
const used = event({
  id: 'cmpl-1',
  object: 'text_completion',
  created: 1,
  model: 'provider-m1',
  choices: [],
  usage: USAGE,
})
const whole = (text = ' a time') => ({
  id: 'cmpl-1',
  object: 'text_completion',
  created: 1,
  model: 'provider-m1',
  choices: [{ index: 0, text, logprobs: null, finish_reason: 'stop' }],
  usage: USAGE,
})

test('the body goes on byte for byte but for the model, and the answer comes back so', async () => {
  await using world = await operationWorld({}, json({ ...whole(), x: 1 }))
  const body =
    '{"model": "m1", "prompt":[ "Once upon", "There was"],"suffix":null,"echo":true, "seed":12345678901234567890,"temperature":1.0,"logit_bias":{"50256":-1e2}, "max_tokens": 5}'
  const answer = operate(world.gateway, PATH, body)
  expect(timingOf(await answer.head()).has('upstream-1')).toBe(true)
  expect(await answer.json()).toEqual({ ...whole(), x: 1, model: 'm1' })
  const request = await world.provider.arrived()
  expect(request.target).toBe('/v1/completions')
  expect(request.body.toString()).toBe(body.replace('"m1"', '"provider-m1"'))
  expect(await settlementOf(world.gateway)).toMatchObject({ usage: { input: 10, output: 5 }, usage_source: 'reported' })
  expect(await balanceOf(world.gateway)).toBe(1_000_000_000 - 90_000)
})

test('a stream asks for its usage, and shows it to who asked', async () => {
  await using world = await operationWorld({}, sse(chunk(' a'), chunk(' time'), chunk('', 'stop'), used, done()))
  const quiet = operate(world.gateway, PATH, { prompt: 'Once upon', stream: true })
  expect(await quiet.text()).not.toContain('"usage"')
  expect(quiet.events.at(-1)?.data).toBe('[DONE]')
  const shown = operate(world.gateway, PATH, {
    prompt: 'Once upon',
    stream: true,
    stream_options: { include_usage: true },
  })
  expect((await chunksOf(shown)).at(-1)).toMatchObject({ choices: [], usage: USAGE, model: 'm1' })
  for (const request of world.provider.requests)
    expect(request.json()).toMatchObject({ stream_options: { include_usage: true } })
})

test('each prompt is answered as often as asked: that is held', async () => {
  await using world = await operationWorld({ price: { input: '0', output: '100' } }, json(whole()))
  const ask = (fields: object) => operate(world.gateway, PATH, { prompt: ['a', 'b', 'c'], ...fields })
  // 3 prompts x 2 answers x 2,000 tokens x $100 a million = $1.20, of $1.00
  expect(await errorOf(ask({ n: 2, max_tokens: 2000 }))).toMatchObject({ status: 402, code: 'insufficient_credits' })
  expect(await ask({ max_tokens: 2000 }).status()).toBe(200)
  expect(await ask({ prompt: [1, 2, 3, 4], n: 4, max_tokens: 2000 }).status()).toBe(200)
})

test('a stream that is cut ends with an error and without [DONE]; what was delivered is paid', async () => {
  await using world = await operationWorld({}, sse(chunk('x'.repeat(300)), close()))
  const answer = operate(world.gateway, PATH, { prompt: 'Once upon', stream: true })
  await answer.text()
  expect(JSON.parse(answer.events.at(-1)?.data ?? '')).toMatchObject({ error: { code: 'stream_broken' } })
  expect(await settlementOf(world.gateway)).toMatchObject({ usage_source: 'estimate', usage: { output: 100 } })
})

test('a plain answer to a stream, and a stream to a plain request, are converted', async () => {
  await using world = await operationWorld({}, json(whole()), sse(chunk(' a'), chunk(' time', 'stop'), used, done()))
  const stream = operate(world.gateway, PATH, { prompt: 'Once upon', stream: true })
  const chunks = await chunksOf(stream)
  expect(chunks.map(({ choices: [choice] }) => choice.text).join('')).toBe(' a time')
  expect(chunks.every(({ object }) => object === 'text_completion')).toBe(true)
  const plain = await operate(world.gateway, PATH, { prompt: 'Once upon' }).json()
  expect(plain).toMatchObject({
    object: 'text_completion',
    choices: [{ index: 0, text: ' a time', finish_reason: 'stop' }],
    usage: USAGE,
  })
})

test('on /api/v1 all of it is marked, usage is told once, and an error is a chunk', async () => {
  await using world = await operationWorld(
    {},
    json(whole()),
    sse(chunk(' a'), chunk('', 'stop'), used, done()),
    sse(chunk(' a'), send('data: {"error":{"message":"overloaded"}}\n\n')),
  )
  const marks = { id: expect.stringMatching(/^gen-/), provider: 'mock', model: 'm1', object: 'text_completion' }
  const path = '/api/v1/completions'
  const cost = { is_byok: false, cost: 0.00009 }
  expect(await operate(world.gateway, path, { prompt: 'Once upon' }).json()).toMatchObject({
    ...marks,
    usage: { ...USAGE, ...cost },
  })
  const chunks = await chunksOf(operate(world.gateway, path, { prompt: 'Once upon', stream: true }))
  expect(chunks).toEqual([
    { ...marks, created: 1, choices: [{ index: 0, text: ' a', logprobs: null, finish_reason: null }] },
    { ...marks, created: 1, choices: [{ index: 0, text: '', logprobs: null, finish_reason: 'stop' }] },
    { ...marks, created: expect.any(Number), choices: [], usage: expect.objectContaining({ ...USAGE, ...cost }) },
  ])
  const broken = operate(world.gateway, path, { prompt: 'Once upon', stream: true })
  await broken.text()
  expect(JSON.parse(broken.events.at(-1)?.data ?? '')).toMatchObject({
    ...marks,
    error: { code: 502 },
    choices: [{ index: 0, text: '', finish_reason: 'error' }],
  })
})
