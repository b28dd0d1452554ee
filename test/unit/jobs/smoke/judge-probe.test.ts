import { expect, test } from 'bun:test'
import { type AttemptRecord, money, NO_USAGE } from '../../../../src/domain/index.ts'
import { judgeProbe } from '../../../../src/jobs/smoke/judge-probe.ts'
import type { ProbeAnswer } from '../../../../src/jobs/smoke/probe-request.ts'
import { recordOf } from '../../store/store-kit.ts'

const ATTEMPT: AttemptRecord = {
  number: 1,
  offer: 'one/m',
  backend: 'one',
  credential: null,
  outcome: 'succeeded',
  reason: null,
  status: 200,
  startedUs: 0,
  endedUs: 1,
  timing: {
    dnsUs: null,
    connectUs: 1,
    tlsUs: null,
    writeUs: 1,
    firstByteUs: 1,
    connection: 'new',
    connectionAgeMs: null,
  },
  absorbed: false,
}

function answerOf(
  attempt: Partial<AttemptRecord> | null,
  errorCode: string | null,
  more: Partial<ProbeAnswer> = {},
): ProbeAnswer {
  const attempts = attempt === null ? [] : [{ ...ATTEMPT, ...attempt }]
  return {
    status: 200,
    text: '',
    record: { ...recordOf('req_1'), errorCode, attempts },
    settlement: {
      end: 'settled',
      reason: 'completed',
      usage: NO_USAGE,
      usageSource: 'reported',
      cost: money(7),
      charged: money(7),
      held: money(9),
      owner: 'operator',
    },
    isLate: false,
    ...more,
  }
}

test('answered: with its timing, connection and cost', () => {
  expect(judgeProbe('plain', answerOf({}, null))).toMatchObject({
    kind: 'plain',
    isOk: true,
    requestId: 'req_1',
    status: 200,
    outcome: 'succeeded',
    connection: 'new',
    cost: money(7),
    message: 'answered',
    advice: null,
  })
})

test('left in mid-stream is well for who meant to leave, and for nobody else', () => {
  const left = answerOf({ outcome: 'cancelled', reason: 'client' }, 'client_closed_request')
  expect(judgeProbe('hang_up', left).isOk).toBe(true)
  expect(judgeProbe('stream', left).isOk).toBe(false)
  expect(judgeProbe('hang_up', answerOf({}, null)).message).toContain('before anybody could hang up')
  expect(judgeProbe('hang_up', answerOf({ outcome: 'broken', reason: 'reset' }, 'stream_broken')).isOk).toBe(false)
})

test.each([
  ['denied', 'doctor'],
  ['refused', '--model'],
  ['too_long', '--model'],
  ['throttled', 'limit'],
  ['unsent', 'doctor'],
  ['failed', 'an API of its dialect'],
  ['broken', 'an API of its dialect'],
  ['cancelled', 'log'],
] as const)('%s: what to do', (outcome, advice) => {
  const probe = judgeProbe('plain', answerOf({ outcome }, 'provider_failed'))
  expect(probe).toMatchObject({ isOk: false, outcome, advice: expect.stringContaining(advice) })
})

test('nothing sent: by the code of the refusal', () => {
  const probe = judgeProbe(
    'plain',
    answerOf(null, 'no_backend', { text: '{"error":{"message":"No \\"backend\\" now."}}', settlement: null }),
  )
  expect(probe).toMatchObject({
    isOk: false,
    outcome: null,
    cost: null,
    message: 'No "backend" now.',
    advice: expect.stringContaining('quarantine list'),
  })
  expect(judgeProbe('plain', answerOf(null, 'a_new_code')).advice).toContain('log')
  const odd = answerOf({ outcome: 'broken' }, 'stream_broken', { text: '"message":"\\x"' })
  expect(judgeProbe('stream', odd).message).toStartWith('stream_broken (broken')
})

test('several at once and throttled: fewer slots', () => {
  expect(judgeProbe('several', answerOf({ outcome: 'throttled', status: 429 }, 'rate_limit_exceeded'))).toMatchObject({
    message: 'rate_limit_exceeded (throttled 429)',
    advice: expect.stringContaining('fewer slots'),
  })
})

test('too late, not recorded, not settled', () => {
  expect(judgeProbe('plain', answerOf({}, null, { isLate: true }))).toMatchObject({
    isOk: false,
    message: 'no end within 45 s',
  })
  expect(judgeProbe('plain', answerOf({}, null, { record: null }))).toMatchObject({
    isOk: false,
    requestId: null,
    timing: null,
  })
  const unsettled = { settlement: null }
  expect(judgeProbe('plain', answerOf({}, null, unsettled))).toMatchObject({
    isOk: false,
    message: expect.stringContaining('not settled'),
  })
  const left = answerOf({ outcome: 'cancelled', reason: 'client' }, 'client_closed_request', unsettled)
  expect(judgeProbe('hang_up', left).isOk).toBe(false)
})
