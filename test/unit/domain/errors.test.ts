import { describe, expect, test } from 'bun:test'
import { errorCodes, errorRow, GatewayError } from '../../../src/domain/index.ts'

describe('the error catalogue', () => {
  for (const code of errorCodes())
    test(code, () => {
      const { status, type, meaning } = errorRow(code)
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(600)
      expect(type).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect(meaning).toMatch(/^[A-Z].*\.$/s)
    })

  test('a mistake of the caller is never worth the same request again, but for time and rate', () => {
    const retried = errorCodes().filter((code) => errorRow(code).status < 500 && errorRow(code).retryable)
    expect(retried).toEqual(['request_timeout', 'rate_limit_exceeded'])
  })

  test('without credit it is 402, before and apart from the limits', () => {
    expect(errorRow('insufficient_credits')).toMatchObject({
      status: 402,
      type: 'insufficient_quota',
      retryable: false,
    })
    expect(errorRow('storage_unavailable')).toMatchObject({ status: 503, retryable: true })
  })
})

describe('a gateway error', () => {
  test('has status and retry advice of its row', () => {
    const error = new GatewayError('provider_timeout', 'No answer.')
    expect(error).toBeInstanceOf(Error)
    expect([error.code, error.message, error.status, error.retryable]).toEqual([
      'provider_timeout',
      'No answer.',
      504,
      true,
    ])
  })

  test('its details go before the row', () => {
    const error = new GatewayError('provider_refused', 'No such tool.', { status: 422, retryable: true })
    expect([error.status, error.retryable]).toEqual([422, true])
  })
})
