import { describe, expect, test } from 'bun:test'
import { readProviderWishes } from '../../../src/dialects/read-provider-wishes.ts'
import { RequestProblem } from '../../../src/dialects/request-problem.ts'
import { GatewayError } from '../../../src/domain/index.ts'
import { JsonReader } from '../../../src/lib/index.ts'

function read(text: string) {
  const reader = new JsonReader(Buffer.from(text))
  const problem = new RequestProblem()
  reader.peek()
  const wishes = readProviderWishes(reader, problem)
  reader.finish()
  problem.raise()
  return wishes
}
const wishesOf = (provider: object) => read(JSON.stringify(provider)).wishes

/** The field at fault. */
function faultOf(text: string): string | undefined {
  try {
    read(text)
  } catch (error) {
    if (error instanceof GatewayError) return `${error.code} ${error.details.param}`
    throw error
  }
  return undefined
}

describe('what is wished', () => {
  test('nothing, by null and by empty lists', () => {
    expect(wishesOf({})).toEqual({})
    expect(
      wishesOf({ only: [], quantizations: [], sort: null, max_price: null, zdr: null, partner: false, x: null }),
    ).toEqual({})
  })

  test('providers, as slugs', () => {
    expect(wishesOf({ order: ['Deep Infra'], only: ['a', 'B_c'], ignore: ['d'], allow_fallbacks: false })).toEqual({
      order: ['deep-infra'],
      only: ['a', 'b-c'],
      ignore: ['d'],
      allowFallbacks: false,
    })
  })

  test('care with data', () => {
    expect(wishesOf({ data_collection: 'deny', zdr: true })).toEqual({ denyDataCollection: true, zeroRetention: true })
    expect(wishesOf({ data_collection: 'allow', zdr: false })).toEqual({
      denyDataCollection: false,
      zeroRetention: false,
    })
  })

  test('a sort, by name or as an object', () => {
    expect(wishesOf({ sort: 'throughput' })).toEqual({ sort: { by: 'throughput', acrossModels: false } })
    expect(wishesOf({ sort: { by: 'price', partition: 'none' } })).toEqual({
      sort: { by: 'price', acrossModels: true },
    })
    expect(wishesOf({ sort: { by: null } })).toEqual({ sort: null })
  })

  test('the highest prices, in nano-dollars, from numbers and from texts', () => {
    expect(wishesOf({ max_price: { prompt: 0.15, completion: '0.6', request: 0, image: null } }).maxPrice).toEqual({
      prompt: 150_000_000,
      completion: 600_000_000,
      request: 0,
      image: null,
      audio: null,
    })
  })

  test('speeds: a number is the median; seconds become ms', () => {
    expect(wishesOf({ preferred_max_latency: 1.5, preferred_min_throughput: { p90: 20, p50: null } })).toEqual({
      maxLatencyMs: { p50: 1500, p75: null, p90: null, p99: null },
      minThroughput: { p50: null, p75: null, p90: 20, p99: null },
    })
  })

  test('ways to store weights, whatever the case of their letters', () => {
    expect(wishesOf({ quantizations: ['FP8'] })).toEqual({ quantizations: ['fp8'] })
    expect(wishesOf({ quantizations: ['fp8', 'int4'] })).toEqual({ quantizations: ['fp8', 'int4'] })
  })

  test('every bound of prices and speeds by its own name', () => {
    const prices = { prompt: 1, completion: 2, request: 3, image: 4, audio: 5 }
    const nano = Object.fromEntries(Object.entries(prices).map(([name, usd]) => [name, usd * 1e9]))
    expect(wishesOf({ max_price: prices })).toEqual<object>({ maxPrice: nano })
    expect(wishesOf({ max_price: { prompt: 1e9, image: 1.0000000004 } })).toMatchObject({
      maxPrice: { prompt: 1e15, image: 1_000_000_000 },
    })
    const speeds = { p50: 1, p75: 2, p90: 3, p99: 4 }
    expect(wishesOf({ preferred_min_throughput: speeds })).toEqual({ minThroughput: speeds })
    expect(wishesOf({ preferred_max_latency: speeds })).toEqual({
      maxLatencyMs: { p50: 1000, p75: 2000, p90: 3000, p99: 4000 },
    })
  })

  test('a hundred names of 200 characters', () => {
    const names = Array<string>(100).fill('a'.repeat(200))
    expect(wishesOf({ ignore: names }).ignore).toHaveLength(100)
  })

  test('the models of a request as one list, or each by itself', () => {
    const partitioned = (partition: unknown) => wishesOf({ sort: { by: 'price', partition } }).sort
    expect(['model', 'none', null].map(partitioned)).toEqual([
      { by: 'price', acrossModels: false },
      { by: 'price', acrossModels: true },
      { by: 'price', acrossModels: false },
    ])
  })

  test('that parameters are known is told apart', () => {
    expect(read('{"require_parameters":true}')).toEqual({ wishes: {}, requireParameters: true })
  })
})

test.each([
  ['{"only":"a"}', 'invalid_request provider.only'],
  ['{"only":[""]}', 'invalid_request provider.only'],
  ['{"order":7}', 'invalid_request provider.order'],
  ['{"ignore":7}', 'invalid_request provider.ignore'],
  ['{"allow_fallbacks":"no"}', 'invalid_request provider.allow_fallbacks'],
  ['{"data_collection":"never"}', 'invalid_request provider.data_collection'],
  ['{"zdr":1}', 'invalid_request provider.zdr'],
  ['{"quantizations":["fp9"]}', 'invalid_request provider.quantizations'],
  ['{"sort":{"by":"exacto"}}', 'invalid_request provider.sort.by'],
  ['{"sort":{"by":"price","partition":"all"}}', 'invalid_request provider.sort.partition'],
  ['{"max_price":5}', 'invalid_request provider.max_price'],
  ['{"max_price":{"video":1}}', 'invalid_request provider.max_price.video'],
  ['{"preferred_min_throughput":0}', 'invalid_request provider.preferred_min_throughput'],
  ['{"preferred_min_throughput":{"p95":1}}', 'invalid_request provider.preferred_min_throughput.p95'],
  ['{"require_parameters":1}', 'invalid_request provider.require_parameters'],
  ['{"sort":"exacto"}', 'invalid_request provider.sort'],
  ['{"sort":{"by":"price","foo":1}}', 'invalid_request provider.sort.foo'],
  ['{"max_price":{"prompt":-1}}', 'invalid_request provider.max_price.prompt'],
  ['{"max_price":{"prompt":"1e3"}}', 'invalid_request provider.max_price.prompt'],
  ['{"preferred_max_latency":"1"}', 'invalid_request provider.preferred_max_latency'],
  ['{"preferred_max_latency":{"p50":0}}', 'invalid_request provider.preferred_max_latency.p50'],
  ['{"zdr":true,"zdr":false}', 'duplicate_field provider.zdr'],
  ['{"enforce_distillable_text":true}', 'invalid_request provider.enforce_distillable_text'],
  ['{"__proto__":1}', 'invalid_request provider.__proto__'],
  ['{"max_price":{"__proto__":1}}', 'invalid_request provider.max_price.__proto__'],
])('%s is a fault', (text, fault) => {
  expect(faultOf(text)).toBe(fault)
})

test('more names than a hundred, or one of more than 200 characters, is a fault', () => {
  expect(faultOf(JSON.stringify({ ignore: Array<string>(101).fill('a') }))).toBe('invalid_request provider.ignore')
  expect(faultOf(JSON.stringify({ ignore: ['a'.repeat(201)] }))).toBe('invalid_request provider.ignore')
})
