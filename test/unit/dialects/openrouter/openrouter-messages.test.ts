import { expect, test } from 'bun:test'
import { surfaceOf } from '../../../../src/dialects/index.ts'

const ERROR = { status: 429, message: 'slow', type: 'requests', code: null, param: null, requestId: 'req_1', extra: {} }
const MARK = { operation: 'messages', id: 'gen-1', createdS: 1, model: 'm', provider: 'p' } as const

test("errors have Anthropic's shape and OpenRouter's word", () => {
  const surface = surfaceOf('openrouter-messages')
  const told = {
    type: 'error',
    error: { type: 'rate_limit_error', message: 'slow', error_type: 'rate_limit_exceeded' },
    request_id: 'req_1',
  }
  expect(JSON.parse(Buffer.from(surface.writeError(ERROR)).toString())).toEqual(told)
  const event = Buffer.from(surface.writeErrorEvent(ERROR, MARK)).toString()
  expect(event.startsWith('event: error\ndata: {')).toBe(true)
  expect(JSON.parse(event.split('\n')[1]?.replace('data: ', '') ?? '')).toEqual(told)
})
