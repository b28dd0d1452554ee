import { describe, expect, test } from 'bun:test'
import { readRequest } from '../../../../src/dialects/anthropic/read-request.ts'

const BASE = { model: 'm', max_tokens: 8, messages: [{ role: 'user', content: 'x' }] }
const read = (body: object | string, operation: 'messages' | 'messages.count_tokens' = 'messages') =>
  readRequest(operation, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)))
const refusal = (code: string, param?: string) =>
  expect.objectContaining({ code, ...(param === undefined ? {} : { details: { param } }) })

describe('what is refused', () => {
  test.each([
    ['{"model": }', 'invalid_json', undefined],
    ['', 'invalid_json', undefined],
    ['[]', 'invalid_request', undefined],
    [{ ...BASE, model: undefined }, 'invalid_request', 'model'],
    [{ ...BASE, model: '' }, 'invalid_request', 'model'],
    [{ ...BASE, messages: undefined }, 'invalid_request', 'messages'],
    [{ ...BASE, max_tokens: undefined }, 'invalid_request', 'max_tokens'],
    [{ ...BASE, stream: 1 }, 'invalid_request', 'stream'],
    [{ ...BASE, fallbacks: [{ model: 'a', max_tokens: 2 }] }, 'invalid_request', 'fallbacks'],
    [{ ...BASE, fallbacks: [1, 2, 3, 4].map((n) => ({ model: `m${n}` })) }, 'invalid_request', 'fallbacks'],
    [{ ...BASE, models: ['a'], fallbacks: [{ model: 'b' }] }, 'invalid_request', 'fallbacks'],
    ['{"model":"a","model":"b","max_tokens":1,"messages":[{}]}', 'duplicate_field', 'model'],
  ])('%j', (body, code, param) => {
    expect(() => read(body)).toThrow(refusal(code, param))
  })
})

test('a count needs no limit, costs nothing and is no stream', () => {
  const { max_tokens: _, ...body } = BASE
  expect(read({ ...body, stream: true }, 'messages.count_tokens')).toMatchObject({
    isFree: true,
    stream: false,
    outputLimit: 0,
    promptTextBytes: 0,
    promptMediaUnits: 0,
  })
})

test('a limit that is no count is the provider’s to judge', () => {
  for (const odd of [-1, 1.5, '8', null, 1e300])
    expect(read({ ...BASE, max_tokens: odd })).toMatchObject({ outputLimit: null })
})

test('a speed, or a place, that is billed at more than the usual price is told', () => {
  expect(read({ ...BASE, inference_geo: 'us' }).dearer).toBe('inference_geo')
  expect(read({ ...BASE, inference_geo: 'global' }).dearer).toBeUndefined()
  expect(read({ ...BASE, inference_geo: null }).dearer).toBeUndefined()
  expect(read({ ...BASE, speed: 'fast' }).dearer).toBe('speed')
  expect(read({ ...BASE, speed: 'standard' }).dearer).toBeUndefined()
  expect(read({ ...BASE, speed: 'fast' }, 'messages.count_tokens').dearer).toBeUndefined()
})

test('requests of one user begin alike', () => {
  const of = (metadata: unknown) => read({ ...BASE, metadata }).promptCacheKey
  expect(of({ other: {}, user_id: 'user_1_session_2' })).toBe('user_1_session_2')
  for (const odd of [null, 7, {}, { user_id: '' }, { user_id: 7 }, { user_id: 'x'.repeat(1025) }])
    expect(of(odd)).toBeUndefined()
})

test('needs: tools, a schema, images, documents', () => {
  const image = { type: 'image', source: { type: 'url', url: 'u' } }
  const document = { type: 'document', source: { type: 'url', url: 'u' } }
  const all = {
    ...BASE,
    tools: [{ name: 'f' }],
    output_format: { type: 'json_schema', schema: {} },
    messages: [{ role: 'user', content: [image, document] }],
  }
  expect(read(all).needs).toEqual(['tools', 'json_schema', 'images', 'files'])
  expect(read({ ...BASE, tools: [], output_config: { effort: 'low' } }).needs).toBeUndefined()
})
