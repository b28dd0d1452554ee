import { expect, test } from 'bun:test'
import { faultReason } from '../../../src/pipeline/fault-reason.ts'

test('a fault is told with its end; what the provider said stands in the evidence alone', () => {
  const reason = 'the own credential of the account is in trouble'
  const fault = { cause: 'denied', reason: 'denied: status 401', sinceMs: 0, untilMs: 60_000 }
  expect(faultReason(fault)).toEqual({
    reason,
    evidence: 'denied since 1970-01-01T00:00:00.000Z until 1970-01-01T00:01:00.000Z: denied: status 401',
    untilMs: 60_000,
  })
  expect(faultReason({ ...fault, reason: null, untilMs: null })).toEqual({
    reason,
    evidence: 'denied since 1970-01-01T00:00:00.000Z until it is changed',
  })
})
