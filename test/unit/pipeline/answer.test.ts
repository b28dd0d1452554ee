import { describe, expect, test } from 'bun:test'
import type { SurfaceName } from '../../../src/dialects/index.ts'
import { GatewayError } from '../../../src/domain/index.ts'
import { ReadDeadline } from '../../../src/lib/index.ts'
import {
  asGatewayError,
  errorAnswer,
  errorHeaders,
  mediumAnswer,
  openAnswer,
  plainAnswer,
  publicError,
  publicErrorEvent,
  streamAnswer,
} from '../../../src/pipeline/answer.ts'
import { createHouseDouble } from '../../support/house.ts'
import { callAt, errorOf, timingOf } from './support.ts'

function timedCall() {
  const world = createHouseDouble()
  const { call } = callAt(world)
  world.clock.advanceUs(1230)
  call.clock.post()
  return { call, timing: call.clock.read() }
}

describe('answers', () => {
  test('plain', async () => {
    const { call, timing } = timedCall()
    const response = plainAnswer(call, timing, Buffer.from('{}'))
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('x-request-id')).toBe(call.requestId)
    expect(timingOf(response).get('total')).toBe(123)
    expect(await response.text()).toBe('{}')
  })

  test('streamed: proxies in front must neither keep nor gather it', () => {
    const { call, timing } = timedCall()
    const { headers } = streamAnswer(call, timing, new ReadableStream())
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-cache')
    expect(headers.get('x-accel-buffering')).toBe('no')
    expect(headers.get('x-request-id')).toBe(call.requestId)
  })

  test('a medium: as a stream, under its own content type', async () => {
    const { call, timing } = timedCall()
    const body = new Response('bytes').body
    if (body === null) throw new Error('no body')
    const response = mediumAnswer(call, timing, 'audio/mpeg', body)
    expect(response.headers.get('content-type')).toBe('audio/mpeg')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(await response.text()).toBe('bytes')
  })

  test('ids under the names of each surface, and the explanation for who asked for one', () => {
    const { call, timing } = timedCall()
    const named = (surface: SurfaceName) => {
      const { request } = call.arrival
      const { headers } = plainAnswer(
        { ...call, arrival: { ...call.arrival, request, surface } },
        timing,
        Buffer.from('{}'),
      )
      return ['x-request-id', 'request-id', 'x-generation-id'].map((name) => headers.get(name))
    }
    expect(named('openai')).toEqual([call.requestId, null, null])
    expect(named('anthropic')).toEqual([call.requestId, call.requestId, null])
    expect(named('openrouter')).toEqual([call.requestId, null, call.generationId])
    const explained = plainAnswer({ ...call, explain: { withEvidence: false } }, timing, Buffer.from('{}'))
    expect(JSON.parse(explained.headers.get('x-anyrouter-explain') ?? '')).toMatchObject({ plan: [] })
    expect(plainAnswer(call, timing, Buffer.from('{}')).headers.has('x-anyrouter-explain')).toBe(false)
  })

  test('whose head goes out before there is any: no attempt is in it', () => {
    const { call, timing } = timedCall()
    const { status, headers } = openAnswer(call, timing, new ReadableStream())
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(headers.get('server-timing')).toEndWith('total;desc="open"')
    expect(headers.get('x-request-id')).toBe(call.requestId)
  })

  test('an error, in the caller’s dialect', async () => {
    const { call, timing } = timedCall()
    const error = new GatewayError('invalid_request', 'No n.', { param: 'n', internal: 'inner words' })
    const response = errorAnswer(call, timing, error)
    expect(timingOf(response).get('total')).toBe(123)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await errorOf(response)).toEqual({
      status: 400,
      error: { message: 'No n.', type: 'invalid_request_error', code: 'invalid_request', param: 'n' },
    })
  })
})

describe('errorHeaders', () => {
  test('says when to try again, in whole seconds, at least one', () => {
    const after = (retryAfterMs: number) => errorHeaders(new GatewayError('no_capacity', '', { retryAfterMs }))
    expect(after(1500)['retry-after']).toBe('2')
    expect(after(0)['retry-after']).toBe('1')
    expect([1500, 1500.2, 0].map((ms) => after(ms)['retry-after-ms'])).toEqual(['1500', '1501', '1'])
    expect(errorHeaders(new GatewayError('no_capacity', ''))).not.toHaveProperty('retry-after')
  })

  test('says whether a retry can help where SDKs would repeat by status', () => {
    const header = (...[code, details]: [code: ConstructorParameters<typeof GatewayError>[0], details?: object]) =>
      errorHeaders(new GatewayError(code, '', details))['x-should-retry']
    expect(header('provider_failed', { retryable: false })).toBe('false')
    expect(header('upstream_credentials_rejected')).toBe('false')
    expect(header('conflict')).toBe('false')
    expect(header('provider_failed')).toBe('true')
    expect(header('rate_limit_exceeded')).toBe('true')
    expect(header('rate_limit_exceeded', { retryAfterMs: 60_000 })).toBe('true')
    expect(header('rate_limit_exceeded', { retryAfterMs: 60_001 })).toBe('false')
    expect(header('invalid_request')).toBeUndefined()
  })

  test('keeps the error’s own', () => {
    const error = new GatewayError('missing_api_key', '', { headers: { 'www-authenticate': 'Bearer' } })
    expect(errorHeaders(error)).toEqual({ 'content-type': 'application/json', 'www-authenticate': 'Bearer' })
  })
})

describe('publicError', () => {
  test('the provider’s words stand in place of ours, also an absent code', () => {
    const error = new GatewayError('provider_refused', 'Theirs.', { status: 422, publicType: 'bad', publicCode: null })
    expect(publicError(error, 'req_1')).toEqual({
      status: 422,
      message: 'Theirs.',
      type: 'bad',
      code: null,
      param: null,
      requestId: 'req_1',
      extra: {},
    })
  })
})

describe('publicErrorEvent', () => {
  test('says when to try again, as the head of an error would', () => {
    const { call } = timedCall()
    const event = (retryAfterMs?: number) =>
      Buffer.from(
        publicErrorEvent(
          call,
          new GatewayError('no_capacity', 'Full.', retryAfterMs === undefined ? {} : { retryAfterMs }),
        ),
      ).toString()
    expect(event(1500)).toBe(
      'data: {"error":{"message":"Full.","type":"server_error","param":null,"code":"no_capacity","retry_after":2}}\n\n',
    )
    expect(event()).not.toContain('retry_after')
  })
})

describe('asGatewayError', () => {
  test('leaves ours as it is', () => {
    const error = new GatewayError('not_found', 'Nothing.')
    expect(asGatewayError(error)).toBe(error)
  })

  test('a read that took too long is the storage’s', () => {
    expect(asGatewayError(new ReadDeadline('a read took more than 5000 ms'))).toMatchObject({
      code: 'storage_unavailable',
      status: 503,
      details: { retryAfterMs: 1000 },
    })
  })

  test.each([new Error('inner words'), 'inner words', Object.assign(new Error('inner words'), { stack: undefined })])(
    'anything else is a bug, and its text stays inside',
    (thrown) => {
      const error = asGatewayError(thrown)
      expect(error).toMatchObject({ code: 'internal_error', status: 500 })
      expect(error.message).not.toContain('inner words')
      expect(error.details.internal).toContain('inner words')
    },
  )
})
