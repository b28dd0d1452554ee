import { describe, expect, test } from 'bun:test'
import type { ProviderError } from '../../../../src/domain/index.ts'
import { classify } from '../../../../src/pipeline/dispatch/classify.ts'

const NOW_MS = Date.UTC(2030, 0, 1)
const said = (fields: Partial<ProviderError> = {}): ProviderError => ({
  status: 0,
  message: 'words',
  type: null,
  code: null,
  param: null,
  ...fields,
})
const at = (status: number, headers: readonly (readonly [string, string])[] = [], error = said()) =>
  classify({ status, headers }, error, NOW_MS)

describe('what a status other than 200 means', () => {
  test.each([
    [400, 'refused'],
    [404, 'refused'],
    [405, 'refused'],
    [413, 'refused'],
    [422, 'refused'],
    [451, 'refused'],
    [499, 'refused'],
    [501, 'refused'],
    [401, 'denied'],
    [402, 'denied'],
    [403, 'denied'],
    [429, 'throttled'],
    [529, 'throttled'],
    [408, 'failed'],
    [409, 'failed'],
    [425, 'failed'],
    [500, 'failed'],
    [502, 'failed'],
    [503, 'failed'],
    [504, 'failed'],
    [204, 'failed'],
    [301, 'failed'],
    [307, 'failed'],
    [399, 'failed'],
  ] as const)('%i is %s', (status, kind) => {
    expect(at(status).kind).toBe(kind)
  })

  test.each([
    [400, 'too_long'],
    [413, 'too_long'],
    [422, 'too_long'],
    [404, 'refused'],
    [500, 'failed'],
  ] as const)('%i with the words of a prompt that is too long is %s', (status, kind) => {
    expect(at(status, [], said({ code: 'context_length_exceeded' })).kind).toBe(kind)
  })

  test('503 with Retry-After is throttled', () => {
    expect(at(503, [['retry-after', '2']])).toMatchObject({ kind: 'throttled', retryAfterMs: 2000 })
  })

  test.each([
    { code: 'insufficient_quota' },
    { type: 'billing_hard_limit' },
    { message: 'Your credit balance is too low to access the API.' },
    { message: 'API key not valid. Please pass a valid API key.' },
  ])('an account fault inside a 400 is the credential’s: %o', (fields) => {
    expect(at(400, [], said(fields)).kind).toBe('denied')
  })

  test('the caller’s words, quoted in a 400, put no credential in doubt', () => {
    expect(at(400, [], said({ message: "unknown role 'billing invalid_api_key': credit balance" })).kind).toBe(
      'refused',
    )
  })

  test('the status is the head’s, whatever the body names', () => {
    expect(at(400, [], said({ status: 401 }))).toMatchObject({ kind: 'refused', error: { status: 400 } })
    expect(at(429, [], said({ status: 500 }))).toMatchObject({ kind: 'throttled', error: { status: 429 } })
  })

  test('a failure keeps its status', () => {
    expect(at(500)).toMatchObject({ kind: 'failed', reason: 'status', status: 500 })
  })
})

describe('Retry-After', () => {
  const wait = (value: string) => {
    const outcome = at(429, [['retry-after', value]])
    return outcome.kind === 'throttled' ? outcome.retryAfterMs : undefined
  }

  test('seconds, also with a fraction', () => {
    expect(wait('7')).toBe(7000)
    expect(wait(' 1.5 ')).toBe(1500)
    expect(wait('1.2346')).toBe(1235) // in whole ms
  })

  test('a date', () => {
    expect(wait(new Date(NOW_MS + 90_000).toUTCString())).toBe(90_000)
  })

  test('in ms before all else, where it can be read', () => {
    const both = (ms: string) =>
      at(429, [
        ['retry-after', '7'],
        ['retry-after-ms', ms],
      ])
    expect(both('1500')).toMatchObject({ retryAfterMs: 1500 })
    expect(both('soon')).toMatchObject({ retryAfterMs: 7000 })
  })

  test('never negative, at most an hour', () => {
    expect(wait(new Date(NOW_MS - 90_000).toUTCString())).toBe(0)
    expect(wait('86400')).toBe(3_600_000)
  })

  test('nothing when it is absent or unreadable', () => {
    expect(at(429)).toMatchObject({ retryAfterMs: null })
    expect(wait('soon')).toBeNull()
    expect(wait('')).toBeNull()
  })
})
