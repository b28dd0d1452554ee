import { describe, expect, test } from 'bun:test'
import type { PublicError } from '../../../../src/dialects/index.ts'
import { openrouter } from '../../../../src/dialects/openrouter/openrouter.ts'

const ERROR: PublicError = {
  status: 404,
  message: 'No such model.',
  type: 'invalid_request_error',
  code: 'model_not_found',
  param: 'model',
  requestId: 'req_1',
  extra: {},
}
const written = (error: Partial<PublicError>) =>
  JSON.parse(Buffer.from(openrouter.writeError({ ...ERROR, ...error })).toString())

test('the code is the status; the word, the field and more stand in the metadata', () => {
  expect(written({})).toEqual({
    error: {
      code: 404,
      message: 'No such model.',
      metadata: { error_type: 'not_found', code: 'model_not_found', param: 'model' },
    },
  })
  expect(written({ code: null, param: null, extra: { attempts: [] } }).error.metadata).toEqual({
    error_type: 'not_found',
    attempts: [],
  })
})

describe('error_type', () => {
  const typeOf = (status: number, code: string | null = null) => written({ status, code }).error.metadata.error_type

  test('by status', () => {
    expect([400, 401, 402, 403, 404, 408, 413, 422, 429].map((status) => typeOf(status))).toEqual([
      'invalid_request',
      'authentication',
      'payment_required',
      'permission_denied',
      'not_found',
      'timeout',
      'payload_too_large',
      'unprocessable',
      'rate_limit_exceeded',
    ])
    expect([500, 502, 503, 504, 507].map((status) => typeOf(status))).toEqual([
      'server',
      'provider_unavailable',
      'provider_overloaded',
      'timeout',
      'server',
    ])
    expect(typeOf(418)).toBe('unmapped')
  })

  test('a code that is one of its words says more', () => {
    expect(typeOf(400, 'context_length_exceeded')).toBe('context_length_exceeded')
    expect(typeOf(400, 'something_else')).toBe('invalid_request')
  })
})

const mark = { operation: 'chat.completions', id: 'gen-1', createdS: 7, model: 'a/m', provider: 'acme' } as const

test('the event of a completion has a text, and where there are no choices it is an error event', () => {
  const eventOf = (operation: 'completions' | 'images.generations') =>
    JSON.parse(
      Buffer.from(openrouter.writeErrorEvent(ERROR, { ...mark, operation }))
        .toString()
        .slice(6),
    )
  const [choice] = eventOf('completions').choices
  expect(choice).toEqual({ index: 0, text: '', finish_reason: 'error', native_finish_reason: null })
  expect(eventOf('images.generations')).toMatchObject({ type: 'error', id: 'gen-1', error: { code: 404 } })
  expect(eventOf('images.generations')).not.toHaveProperty('choices')
})

test('the event is a whole chunk on one line, with a finish_reason that ends the stream', () => {
  const event = Buffer.from(openrouter.writeErrorEvent({ ...ERROR, message: 'a\nb' }, mark)).toString()
  expect(event).toMatch(/^data: [^\n]*\n\n$/)
  expect(JSON.parse(event.slice(6))).toMatchObject({
    id: 'gen-1',
    object: 'chat.completion.chunk',
    created: 7,
    model: 'a/m',
    provider: 'acme',
    error: { code: 404, message: 'a\nb' },
    choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
  })
})
