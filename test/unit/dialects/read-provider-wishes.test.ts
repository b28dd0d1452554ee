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

  test('that parameters are known is told apart', () => {
    expect(read('{"require_parameters":true}')).toEqual({ wishes: {}, requireParameters: true })
  })
})

test.each([
  ['{"only":"a"}', 'invalid_request provider.only'],
  ['{"only":[""]}', 'invalid_request provider.only'],
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
