import { afterAll, describe, expect, test } from 'bun:test'
import { json, status } from '../support/script.ts'
import { balanceOf, errorOf, settlementOf } from '../support/wire-chat.ts'
import { operate, operationWorld } from '../support/wire-operations.ts'

const PATH = '/v1/embeddings'
const USAGE = { prompt_tokens: 10, total_tokens: 10 }
const row = (index: number, embedding: unknown) => ({ object: 'embedding', index, embedding })
const list = (...data: unknown[]) => json({ object: 'list', data, model: 'provider-m1', usage: USAGE })
const packed = (...numbers: number[]) => Buffer.from(Float32Array.from(numbers).buffer).toString('base64')

test('the body goes on byte for byte but for the model, nothing is added, and the tokens are paid', async () => {
  await using world = await operationWorld({}, list(row(0, [0.1, 1e-7, -2])))
  const body = '{"input":"hi" ,"model":"m1","dimensions":3,"x":9007199254740993}'
  const answer = operate(world.gateway, PATH, body)
  expect(await answer.json()).toEqual({ object: 'list', data: [row(0, [0.1, 1e-7, -2])], model: 'm1', usage: USAGE })
  const request = await world.provider.arrived()
  expect(request.target).toBe('/v1/embeddings')
  expect(request.body.toString()).toBe(body.replace('"m1"', '"provider-m1"'))
  expect(await settlementOf(world.gateway)).toMatchObject({ usage: { input: 10, output: 0 }, usage_source: 'reported' })
  expect(await balanceOf(world.gateway)).toBe(1_000_000_000 - 40_000)
})

test('digits that need no change stay as the provider wrote them', async () => {
  const text = '{"object":"list", "data":[{"index":0,"embedding":[0.10, 1E-7]}],"usage":{"total_tokens":3}}'
  await using world = await operationWorld({}, status(200, text, { 'content-type': 'application/json' }))
  expect(await operate(world.gateway, PATH, { input: 'hi' }).text()).toBe(text)
  expect(await settlementOf(world.gateway)).toMatchObject({ usage: { input: 3 }, usage_source: 'reported' })
})

const shared = await operationWorld({}, list())
afterAll(() => shared[Symbol.asyncDispose]())

describe('vectors come in the form that was asked for, in the order of the input', () => {
  const numbers = [row(1, [0.5, -2]), row(0, [1, 2])]
  const texts = [row(0, packed(1, 2)), row(1, packed(0.1, -2))]
  const tenth = Math.fround(0.1)
  test.each([
    ['numbers for base64', 'base64', numbers, [row(0, packed(1, 2)), row(1, packed(0.5, -2))]],
    ['base64 for numbers', 'float', texts, [row(0, [1, 2]), row(1, [tenth, -2])]],
    ['base64 where nothing was asked', undefined, texts, [row(0, [1, 2]), row(1, [tenth, -2])]],
    ['base64 as asked', 'base64', texts, texts],
    ['numbers as asked, in another order', 'float', numbers, [row(0, [1, 2]), row(1, [0.5, -2])]],
    ['a form of the provider’s own', 'int8', [row(0, [1, 2])], [row(0, [1, 2])]],
    ['text that is no vector', 'float', [row(0, 'AAA=')], [row(0, 'AAA=')]],
    ['infinity, which no number in JSON is', 'float', [row(0, packed(Infinity))], [row(0, packed(Infinity))]],
  ])('%s', async (_name, format, sent, wanted) => {
    shared.provider.script(list(...sent))
    const fields = format === undefined ? {} : { encoding_format: format }
    const answer = await operate(shared.gateway, PATH, { input: ['a', 'b'], ...fields }).json()
    expect(answer).toMatchObject({ data: wanted, model: 'm1' })
    expect(shared.provider.requests.at(-1)?.json()).toEqual({ input: ['a', 'b'], model: 'provider-m1', ...fields })
  })
})

test('on /api/v1 the marks and the cost are told', async () => {
  await using world = await operationWorld({}, list(row(0, [1])))
  const answer = operate(world.gateway, '/api/v1/embeddings', { input: 'hi' })
  expect((await answer.head()).header('x-generation-id')).toMatch(/^gen-/)
  expect(await answer.json()).toEqual({
    id: expect.stringMatching(/^gen-/),
    provider: 'mock',
    model: 'm1',
    object: 'list',
    data: [row(0, [1])],
    usage: { ...USAGE, is_byok: false, cost: 0.00004 },
  })
})

test('without usage the prompt is reckoned: text by its bytes, tokens by their number', async () => {
  await using world = await operationWorld({}, json({ object: 'list', data: [row(0, [1])] }))
  await operate(world.gateway, PATH, { input: [[1, 2, 3], [4]] }).text()
  expect(await settlementOf(world.gateway)).toMatchObject({ usage: { input: 4 }, usage_source: 'estimate' })
})

test('what is missing or of the wrong form is told before anything is sent', async () => {
  const before = shared.provider.requests.length
  expect(await errorOf(operate(shared.gateway, PATH, {}))).toMatchObject({ status: 400, param: 'input' })
  expect(await errorOf(operate(shared.gateway, PATH, '{"input":"a","input":"b","model":"m1"}'))).toMatchObject({
    code: 'duplicate_field',
    param: 'input',
  })
  expect(shared.provider.requests.length).toBe(before)
})

test('an answer that is none is a failed attempt, an error in a 200 too', async () => {
  await using world = await operationWorld(
    {},
    json({ object: 'list' }),
    json({ error: { message: 'input is too odd', code: 400 } }),
  )
  expect(await errorOf(operate(world.gateway, PATH, { input: 'a' }))).toMatchObject({
    status: 502,
    code: 'provider_failed',
  })
  expect(await errorOf(operate(world.gateway, PATH, { input: 'a' }))).toMatchObject({
    status: 400,
    message: 'input is too odd',
  })
  expect(await balanceOf(world.gateway)).toBe(1_000_000_000)
})

test('a model that cannot be asked for vectors says so', async () => {
  await using world = await operationWorld({ offer: { operations: ['chat.completions'] } }, list())
  expect(await errorOf(operate(world.gateway, PATH, { input: 'a' }))).toMatchObject({
    status: 400,
    code: 'wrong_endpoint',
    param: 'model',
    message: expect.stringContaining('chat.completions'),
  })
  expect(world.provider.requests).toEqual([])
})
