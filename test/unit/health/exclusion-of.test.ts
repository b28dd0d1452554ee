import { expect, test } from 'bun:test'
import { type CredentialCause, NO_CAUSES, type QuarantineRow } from '../../../src/domain/index.ts'
import { credentialMark } from '../../../src/health/credential-mark.ts'
import { exclusionOf, standingOf } from '../../../src/health/index.ts'

const operator = { by: 'local:7', reason: 'a flood', sinceMs: 1000, untilMs: 2000 }
const wait = { sinceMs: 1000, untilMs: 2000, backoffMs: 1000, evidence: 'seen' }
const failures = { ...wait, count: 5, streak: 5, lastStatus: 500 }
const MAIN = { id: 'main', secret: 'sk-main' }
const SPARE = { id: 'spare', secret: 'sk-spare' }
const BOTH = [MAIN, SPARE]
const row = (causes: Partial<QuarantineRow>): QuarantineRow => ({ ...NO_CAUSES, backend: 'north', ...causes })
const denied = (credential: typeof MAIN, untilMs = 2000): CredentialCause => ({
  ...wait,
  untilMs,
  credential: credential.id,
  mark: credentialMark(credential),
  kind: 'denied',
  source: 'back_off',
  lastStatus: 401,
})
const kindAt = (causes: Partial<QuarantineRow>, nowMs: number) => standingOf(row(causes), BOTH, nowMs).kind

test('a backend without a row, or without a cause, may be used', () => {
  expect(exclusionOf(undefined, [], 1500)).toBeNull()
  expect(exclusionOf(row({}), [], 1500)).toBeNull()
  expect(kindAt({}, 1500)).toBe('in')
})

test("an operator's cause holds until its end, and not in it; then the backend is in", () => {
  expect(exclusionOf(row({ operator }), [], 1999)).toEqual({ cause: 'operator', ...operator })
  expect(exclusionOf(row({ operator }), [], 2000)).toBeNull()
  expect(kindAt({ operator }, 9000)).toBe('in')
})

test('without an end it holds until it is cleared', () => {
  const endless = { ...operator, untilMs: null }
  expect(exclusionOf(row({ operator: endless }), [], Number.MAX_SAFE_INTEGER)).toMatchObject({ untilMs: null })
})

test('what was found out is half-open when its time is over', () => {
  expect(exclusionOf(row({ failures }), [], 1999)).toEqual({
    cause: 'failures',
    reason: 'seen',
    by: null,
    sinceMs: 1000,
    untilMs: 2000,
  })
  expect(kindAt({ failures }, 2000)).toBe('half_open')
  expect(kindAt({ throttle: { ...wait, source: 'back_off' } }, 1999)).toBe('out')
  expect(kindAt({ throttle: { ...wait, source: 'back_off' } }, 2000)).toBe('half_open')
})

test('of several causes the one that lasts longest is told; the least bad has failures alone', () => {
  const later = { ...operator, untilMs: 3000 }
  expect(standingOf(row({ failures, operator: later }), [], 1500)).toMatchObject({
    kind: 'out',
    exclusion: { cause: 'operator' },
    onlyFailures: false,
  })
  expect(standingOf(row({ failures, operator: later }), [], 2500)).toMatchObject({ kind: 'out', onlyFailures: false })
  expect(standingOf(row({ failures: { ...failures, untilMs: 4000 }, operator }), [], 1500)).toMatchObject({
    exclusion: { cause: 'failures', untilMs: 4000 },
  })
  expect(standingOf(row({ failures }), [], 1500)).toMatchObject({ onlyFailures: true })
})

test('credentials keep a backend out when none is left, until the first of them may be tried', () => {
  expect(kindAt({ credentials: [denied(MAIN)] }, 1500)).toBe('in')
  expect(kindAt({ credentials: [denied(MAIN)] }, 2500)).toBe('in')
  const both = { credentials: [denied(MAIN, 2000), denied(SPARE, 3000)] }
  expect(exclusionOf(row(both), BOTH, 1500)).toMatchObject({ cause: 'credentials', untilMs: 2000 })
  expect(kindAt(both, 2000)).toBe('half_open')
  expect(standingOf(row(both), [MAIN], 1500).kind).toBe('out')
  expect(standingOf(row(both), [], 1500).kind).toBe('in') // the provider has none any more
})

test('what was said of a secret says nothing of the next one under the same id', () => {
  const renewed = { id: 'main', secret: 'sk-renewed' }
  expect(standingOf(row({ credentials: [denied(MAIN)] }), [MAIN], 1500).kind).toBe('out')
  expect(standingOf(row({ credentials: [denied(MAIN)] }), [renewed], 1500).kind).toBe('in')
})
