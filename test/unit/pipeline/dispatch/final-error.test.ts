import { describe, expect, test } from 'bun:test'
import type { AttemptRecord, FailedReason, Outcome, ProviderError } from '../../../../src/domain/index.ts'
import { type Exhausted, finalError as lastWord } from '../../../../src/pipeline/dispatch/final-error.ts'

const said = (status: number, fields: Partial<ProviderError> = {}): ProviderError => ({
  status,
  message: 'their words',
  type: null,
  code: null,
  param: null,
  ...fields,
})
const refused = (error: ProviderError): Outcome => ({ kind: 'refused', error, usage: null })
const denied: Outcome = { kind: 'denied', error: said(401) }
const unsent: Outcome = { kind: 'unsent', reason: 'connect', message: 'inner words' }
const throttled = (retryAfterMs: number | null): Outcome => ({ kind: 'throttled', error: said(429), retryAfterMs })
const failed = (reason: FailedReason): Outcome => ({ kind: 'failed', reason, status: null, message: 'inner words' })
const ATTEMPT: AttemptRecord = {
  number: 1,
  offer: 'north/m',
  backend: 'north',
  credential: 'cred_north',
  outcome: 'failed',
  reason: 'reset',
  status: null,
  startedUs: 0,
  endedUs: 1,
  timing: {
    dnsUs: null,
    connectUs: null,
    tlsUs: null,
    writeUs: null,
    firstByteUs: null,
    connection: 'new',
    connectionAgeMs: null,
  },
  absorbed: false,
}

const tooLong: Outcome = { kind: 'too_long', error: said(400, { code: 'context_length_exceeded' }) }
const HAS_RUN: Partial<Exhausted> = { mayHaveRun: true }
const SETTINGS = { hideBackends: false, noRetryAfterSend: true }
const finalError = (
  outcomes: readonly Outcome[],
  attempts: readonly AttemptRecord[] = [],
  more: Partial<Exhausted> = {},
) =>
  lastWord({
    model: 'acme/m',
    outcomes,
    attempts,
    isOwn: false,
    hasUntried: false,
    isFull: false,
    staysHome: false,
    outMs: null,
    mayHaveRun: false,
    settings: SETTINGS,
    ...more,
  })

describe('the last word when no attempt served', () => {
  test('the caller’s own fault, in the provider’s words', () => {
    const error = finalError(
      [failed('reset'), refused(said(422, { type: 'bad', code: 'no_n', param: 'n' }))],
      [ATTEMPT],
    )
    expect(error).toMatchObject({ code: 'provider_refused', status: 422, message: 'their words', retryable: false })
    expect(error.details).toMatchObject({ publicType: 'bad', publicCode: 'no_n', param: 'n' })
  })

  test('a refusal that names no type and no code', () => {
    const { details } = finalError([refused(said(400))], [])
    expect(details).toMatchObject({ publicType: 'invalid_request_error', publicCode: null })
    expect(details).not.toHaveProperty('param')
  })

  test('what one has not is told where the others have it neither, and stands behind their faults', () => {
    const missing = refused(said(404, { code: 'model_not_found' }))
    expect(finalError([missing, missing])).toMatchObject({ code: 'provider_refused', status: 404 })
    expect(finalError([missing, refused(said(422))])).toMatchObject({ status: 422 })
    expect(finalError([tooLong, missing])).toMatchObject({ status: 400 })
    expect(finalError([missing, tooLong, missing])).toMatchObject({ status: 400 })
    expect(finalError([missing, failed('status')])).toMatchObject({ code: 'provider_failed', status: 502 })
    expect(finalError([missing, throttled(1000)])).toMatchObject({ code: 'rate_limit_exceeded', status: 429 })
    expect(finalError([missing], [], { isFull: true })).toMatchObject({ code: 'no_capacity' })
    expect(finalError([missing], [], { isFull: true, outMs: 500 })).toMatchObject({ code: 'no_backend' })
  })

  test('429 when every attempt ended throttled, with the shortest wait', () => {
    const error = finalError([throttled(5000), throttled(null), throttled(2000)], [])
    expect(error).toMatchObject({ code: 'rate_limit_exceeded', status: 429, retryable: true })
    expect(error.details.retryAfterMs).toBe(2000)
    expect(finalError([throttled(null)], []).details).not.toHaveProperty('retryAfterMs')
  })

  test('never the provider’s 401', () => {
    expect(finalError([denied, denied], [])).toMatchObject({ code: 'upstream_credentials_rejected', status: 502 })
    expect(finalError([denied], [], { hasUntried: true })).toMatchObject({ code: 'provider_failed', retryable: true })
    const full = finalError([denied], [ATTEMPT], { isFull: true }) // another could still serve
    expect(full).toMatchObject({ code: 'no_capacity', retryable: true, details: { extra: { attempts: [{}] } } })
    expect(finalError([denied], [], { isFull: true, outMs: 500 })).toMatchObject({ code: 'no_backend' })
  })

  test('whose credential was rejected is said', () => {
    expect(finalError([denied]).message).toContain('the gateway')
    expect(finalError([denied], [], { isOwn: true }).message).toContain('own credential of your account')
  })

  test('nothing could be reached: that may be repeated', () => {
    expect(finalError([unsent], [])).toMatchObject({ code: 'provider_unreachable', status: 502, retryable: true })
  })

  test('no room for a connection is no fault of a backend: as when all are full', () => {
    const full = { ...unsent, reason: 'no_room' } as const
    const error = finalError([full, full], [])
    expect(error).toMatchObject({ code: 'no_capacity', status: 503, details: { retryAfterMs: 1000 } })
    expect(error.message).toContain('no room for another connection')
    expect(finalError([full, unsent], [])).toMatchObject({ code: 'provider_unreachable' })
  })

  test.each(['first_content_timeout', 'total_timeout', 'idle_timeout'] as const)(
    '504 after %s, not to be repeated blindly',
    (reason) => {
      const outcomes = [failed('reset'), failed(reason), unsent]
      const error = finalError(outcomes, [], HAS_RUN)
      expect(error).toMatchObject({ code: 'provider_timeout', status: 504, retryable: false })
      expect(finalError(outcomes).retryable).toBe(true)
    },
  )

  test('502 for all else; what may have run is not to be repeated blindly', () => {
    expect(finalError([failed('total_timeout'), failed('reset')], [], HAS_RUN)).toMatchObject({
      code: 'provider_failed',
      status: 502,
      retryable: false,
    })
    expect(finalError([throttled(null), denied], [])).toMatchObject({ code: 'provider_failed', retryable: true })
  })

  test.each([
    ['no_capacity', { ...unsent, reason: 'no_room' }, {}],
    ['no_capacity', tooLong, { isFull: true }],
    ['no_backend', tooLong, { isFull: true, outMs: 500 }],
    ['provider_unreachable', unsent, {}],
    ['rate_limit_exceeded', throttled(null), {}],
    ['upstream_credentials_rejected', denied, {}],
    ['provider_timeout', failed('total_timeout'), {}],
    ['provider_failed', failed('reset'), {}],
  ] as const)('%s lists the attempts', (code, outcome, more) => {
    expect(finalError([outcome], [ATTEMPT], more)).toMatchObject({ code, details: { extra: { attempts: [{}] } } })
  })

  test('lists the attempts without bodies and secrets', () => {
    const { details } = finalError([failed('reset')], [ATTEMPT])
    expect(details.extra).toEqual({
      attempts: [{ backend: 'north', outcome: 'failed', status: null, reason: 'reset' }],
    })
    expect(JSON.stringify(details)).not.toMatch(/inner words|cred_north/)
  })

  test('with the setting off what may have run may be repeated', () => {
    const settings = { ...SETTINGS, noRetryAfterSend: false }
    expect(finalError([failed('reset')], [], { mayHaveRun: true, settings }).retryable).toBe(true)
  })

  test('names no backend where they are hidden', () => {
    const { details } = finalError([failed('reset')], [ATTEMPT], { settings: { ...SETTINGS, hideBackends: true } })
    expect(details.extra).toEqual({ attempts: [{ outcome: 'failed', status: null, reason: 'reset' }] })
  })

  test('the shortest wait that is known is told, whatever else failed', () => {
    expect(finalError([throttled(7000), denied], []).details.retryAfterMs).toBe(7000)
    expect(finalError([throttled(7000), failed('reset')], [], HAS_RUN)).toMatchObject({
      retryable: false,
      details: { retryAfterMs: 7000 },
    })
  })

  test('429 also when a dial came to nothing besides: no attempt was made there', () => {
    expect(finalError([throttled(null), unsent], []).code).toBe('rate_limit_exceeded')
  })
})

describe('a prompt too long', () => {
  test('is the caller’s fault where nobody takes more', () => {
    expect(finalError([failed('reset'), tooLong])).toMatchObject({
      code: 'provider_refused',
      status: 400,
      details: { publicCode: 'context_length_exceeded' },
    })
  })

  test('is not when a candidate that may take more had other trouble', () => {
    expect(finalError([tooLong, throttled(1000)]).code).toBe('rate_limit_exceeded')
    expect(finalError([tooLong, denied]).code).toBe('upstream_credentials_rejected')
    expect(finalError([tooLong], [], { isFull: true })).toMatchObject({ code: 'no_capacity', status: 503 })
  })
})

test('no capacity is 503 and worth a retry', () => {
  const error = finalError([], [], { isFull: true })
  expect(error).toMatchObject({ code: 'no_capacity', status: 503, retryable: true })
  expect(error.details).toEqual({ retryAfterMs: 1000 })
  expect(error.message).toContain("'acme/m' are at capacity")
  expect(finalError([]).message).toBe(error.message) // the one candidate was left before it was tried
})

test('backends that are quarantined are to be asked again when their time is over, a little later at least', () => {
  const after = (outMs: number) => finalError([], [], { isFull: true, outMs })
  expect(after(500).details).toEqual({ retryAfterMs: 500 })
  expect(after(0).details).toEqual({ retryAfterMs: 1 })
})

test('no capacity where others were left out for where they are says so', () => {
  const error = finalError([], [], { isFull: true, staysHome: true })
  expect(error.message).toContain("'acme/m' in the regions that this key may use are at capacity")
})
