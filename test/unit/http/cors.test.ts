import { describe, expect, test } from 'bun:test'
import { corsPreflight, withCors } from '../../../src/http/cors.ts'

const APP = 'https://app.example'

const question = (headers: Record<string, string> = {}, method = 'OPTIONS') =>
  new Request('http://edge/v1/chat/completions', {
    method,
    headers: { origin: APP, 'access-control-request-method': 'POST', ...headers },
  })

describe('corsPreflight', () => {
  test('allows the method and the headers asked for, by name', () => {
    const wanted = 'authorization,content-type,x-stainless-os'
    const answer = corsPreflight(question({ 'access-control-request-headers': wanted }), [APP], 'req_1')
    expect([answer?.status, answer?.body]).toEqual([204, null])
    expect(Object.fromEntries(answer?.headers ?? [])).toMatchObject({
      'access-control-allow-origin': APP,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': wanted,
      'access-control-max-age': '7200',
      vary: 'Origin',
      'x-request-id': 'req_1',
    })
  })

  test('of another origin is answered without leave', () => {
    for (const origin of ['https://other.example', 'null', 'http://app.example', `${APP}:444`]) {
      const answer = corsPreflight(question({ origin }), [APP], 'req_1')
      expect(answer?.status).toBe(204)
      expect([...(answer?.headers.keys() ?? [])].filter((name) => name.startsWith('access-control'))).toEqual([])
      expect(answer?.headers.get('vary')).toBe('Origin')
    }
  })

  test('is none while CORS is off, with another method, without its headers, or with odd ones', () => {
    expect(corsPreflight(question(), 'off', 'req_1')).toBeNull()
    expect(corsPreflight(question({}, 'GET'), '*', 'req_1')).toBeNull()
    expect(corsPreflight(new Request('http://edge/', { method: 'OPTIONS' }), '*', 'req_1')).toBeNull()
    expect(corsPreflight(question({ 'access-control-request-method': 'po st' }), '*', 'req_1')).toBeNull()
    expect(corsPreflight(question({ 'access-control-request-headers': 'x: y' }), '*', 'req_1')).toBeNull()
    expect(corsPreflight(question({ 'access-control-request-headers': 'x'.repeat(5000) }), '*', 'req_1')).toBeNull()
  })
})

describe('withCors', () => {
  const headersOf = (...args: Parameters<typeof withCors> extends [Response, ...infer Rest] ? Rest : never) =>
    Object.fromEntries(withCors(new Response('x', { headers: { 'x-request-id': 'req_1' } }), ...args).headers)

  test('lets any page read with *, listed ones with a list, and says what they may read', () => {
    expect(headersOf(APP, '*')).toMatchObject({
      'access-control-allow-origin': '*',
      vary: 'Origin',
      'x-request-id': 'req_1',
    })
    expect(headersOf('null', '*')).toMatchObject({ 'access-control-allow-origin': '*' })
    const listed = headersOf(APP, ['https://one.example', APP])
    expect(listed).toMatchObject({ 'access-control-allow-origin': APP, vary: 'Origin' })
    for (const name of ['x-request-id', 'server-timing', 'retry-after', 'x-ratelimit-remaining-tokens'])
      expect(listed['access-control-expose-headers']?.split(', ')).toContain(name)
    expect(listed).not.toHaveProperty('access-control-allow-credentials')
  })

  test('other origins, and requests of no page, get the mark for caches alone', () => {
    for (const origin of ['https://other.example', null]) {
      const headers = headersOf(origin, [APP])
      expect(headers).not.toHaveProperty('access-control-allow-origin')
      expect(headers).toMatchObject({ vary: 'Origin' })
    }
  })

  test('off: nothing', () => {
    expect(Object.keys(headersOf(APP, 'off')).filter((name) => name !== 'content-type')).toEqual(['x-request-id'])
  })
})
