import { expect, test } from 'bun:test'
import { evidenceOf } from '../../../src/health/evidence-of.ts'

test('evidence has the status and the code, and no words of the provider’s', () => {
  const error = { status: 401, message: 'secret words', type: null, code: null, param: null }
  expect(evidenceOf({ kind: 'denied', error })).toBe('denied: status 401')
  const coded = { ...error, status: 429, code: 'x'.repeat(100) }
  expect(evidenceOf({ kind: 'throttled', error: coded, retryAfterMs: null })).toBe(
    `throttled: status 429, ${'x'.repeat(60)}`,
  )
  expect(evidenceOf({ kind: 'failed', reason: 'reset', status: null, message: 'gone' })).toBe('failed (reset): gone')
  expect(evidenceOf({ kind: 'succeeded' })).toBe('succeeded')
})
