import { afterAll, describe, expect, test } from 'bun:test'
import { json } from '../support/script.ts'
import { errorOf, recordOf, settlementOf } from '../support/wire-chat.ts'
import { operate, operationWorld } from '../support/wire-operations.ts'

const PATH = '/v1/rerank'
const ASKED = { query: 'A city', documents: ['An apple', { text: 'Bern is a city' }], top_n: 1 }
const RESULTS = [{ index: 1, relevance_score: 0.9 }]

const shared = await operationWorld({})
afterAll(() => shared[Symbol.asyncDispose]())

describe('what is billed is told in one of several forms', () => {
  test.each([
    ['tokens, as Jina', { results: RESULTS, usage: { total_tokens: 7 } }, { input: 7, searches: 1 }],
    [
      'search units, as Cohere',
      { results: RESULTS, meta: { billed_units: { search_units: 2 } } },
      { input: 0, searches: 2 },
    ],
    [
      'both, as OpenRouter',
      { results: RESULTS, usage: { total_tokens: 7, search_units: 3 } },
      { input: 7, searches: 3 },
    ],
    ['its rows in data, as Voyage', { data: RESULTS, usage: { total_tokens: 4 } }, { input: 4, searches: 1 }],
  ])('%s', async (_name, answer, usage) => {
    shared.provider.script(json(answer))
    const asking = operate(shared.gateway, PATH, ASKED)
    expect(await asking.json()).toEqual(answer)
    const request = shared.provider.requests.at(-1)
    expect(request?.target).toBe('/v1/rerank')
    expect(request?.json()).toEqual({ ...ASKED, model: 'provider-m1' })
    const { settlement } = await recordOf(shared.gateway, await asking.head())
    expect(settlement).toMatchObject({ usage, usage_source: 'reported' })
  })
})

test('a search has a price, and is held by the number of documents', async () => {
  const offer = { price: { input: '0', output: '0', per_search: '0.4' } }
  await using world = await operationWorld(offer, json({ results: RESULTS }))
  const documents = Array.from({ length: 201 }, () => 'a')
  expect(await errorOf(operate(world.gateway, PATH, { ...ASKED, documents }))).toMatchObject({ status: 402 })
  await operate(world.gateway, PATH, ASKED).text()
  expect(await settlementOf(world.gateway)).toMatchObject({ charged_nano: 400_000_000, usage_source: 'estimate' })
})

test('query and documents must be there', async () => {
  expect(await errorOf(operate(shared.gateway, PATH, { query: 'a' }))).toMatchObject({
    status: 400,
    param: 'documents',
  })
  expect(await errorOf(operate(shared.gateway, PATH, { documents: [] }))).toMatchObject({ status: 400, param: 'query' })
})

test('on /api/v1 the marks and the cost are told', async () => {
  shared.provider.script(json({ results: RESULTS, usage: { total_tokens: 7 } }))
  expect(await operate(shared.gateway, '/api/v1/rerank', ASKED).json()).toEqual({
    id: expect.stringMatching(/^gen-/),
    provider: 'mock',
    model: 'm1',
    results: RESULTS,
    usage: { total_tokens: 7, is_byok: false, cost: 0.000028 },
  })
})
