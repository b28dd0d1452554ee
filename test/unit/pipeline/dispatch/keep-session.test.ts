import { describe, expect, spyOn, test } from 'bun:test'
import { keepSession } from '../../../../src/pipeline/dispatch/keep-session.ts'
import { skipOf } from '../../../../src/pipeline/skip-of.ts'
import { timingOf } from '../../../support/exchange-timing.ts'
import { ACCOUNT, MODEL } from '../../../support/house.ts'
import { callAt, candidatesOf } from '../support.ts'
import { houseOf } from './dispatch-kit.ts'

const NAME = { accountId: ACCOUNT, session: 's', model: MODEL }

/** A call of the session `s`, which stays with `stays`; null: with nobody yet. */
function serving(stays: string | null) {
  const world = houseOf(3)
  const { sessions } = world.house.health
  if (stays !== null) sessions.served(NAME, stays)
  const { call } = callAt(world)
  Object.assign(call, { accountId: ACCOUNT, session: { id: 's', places: sessions.of(ACCOUNT, 's') } })
  const candidates = candidatesOf(world)
  const named = (name: string) => {
    const found = candidates.find(({ offer }) => offer.backend.id === name)
    if (found === undefined) throw new Error(name)
    return found
  }
  return {
    call,
    named,
    world,
    /** Who serves it; answers what became of the session, and where it stays now. */
    serve(by: string, among = candidates) {
      keepSession(world.house, call, among, named(by))
      return { ...call.stickiness, now: sessions.of(ACCOUNT, 's').get(MODEL)?.backend }
    },
  }
}

test('of who wants nothing kept no session comes to the disk', () => {
  for (const keepsNothing of [true, false]) {
    const { call, world, serve } = serving(null)
    Object.assign(call, { keepsNothing })
    expect(serve('south')).toEqual({ kind: 'new', now: 'south' })
    const { sticky } = world.house.health.takeLearned(10, 10)
    expect(sticky.map(({ session }) => session)).toEqual(keepsNothing ? [] : ['s'])
  }
})

describe('a session', () => {
  test('begins where it is served first; what another request of it has begun meanwhile stays', () => {
    expect(serving(null).serve('south')).toEqual({ kind: 'new', now: 'south' })
    const late = serving(null)
    late.world.house.health.sessions.served(NAME, 'north')
    expect(late.serve('south')).toEqual({ kind: 'new', now: 'north' })
  })

  test('is kept where it stays, and stays as long from now on', () => {
    const { world, serve } = serving('south')
    const served = spyOn(world.house.health.sessions, 'served')
    expect(serve('south')).toEqual({ kind: 'kept', now: 'south' })
    expect(served.mock.calls).toEqual([[{ ...NAME, isUnwritten: false }, 'south']])
  })

  test('comes back to a backend that is only full', () => {
    const { call, named, serve } = serving('north')
    Object.assign(call, { skips: [skipOf(named('north'), 'full', { reason: 'every slot is taken' })] })
    const reason = 'every slot is taken'
    expect(serve('south')).toEqual({ kind: 'away', from: 'north', rule: 'full', reason, now: 'north' })
  })

  test('moves from a backend that a rule passes over, and says which and why', () => {
    const { call, named, serve } = serving('north')
    const why = { reason: 'the backend is quarantined', evidence: 'failures', untilMs: 1 }
    const own = { ...skipOf(named('north'), 'own-credential', { reason: 'refused' }), credential: 'own' }
    Object.assign(call, { skips: [skipOf(named('north'), 'quarantined', why), own] })
    expect(serve('south')).toEqual({
      kind: 'moved',
      from: 'north',
      rule: 'quarantined',
      reason: why.reason,
      now: 'south',
    })
  })

  test.each([
    ['failed', 'status', 500, 'its attempt failed (status 500)'],
    ['unsent', 'connect', null, 'its attempt unsent (connect)'],
    ['denied', null, 401, 'its attempt denied (401)'],
    ['broken', null, null, 'its attempt broken'],
  ] as const)('moves from a backend whose attempt %s', (outcome, why, status, reason) => {
    const { call, serve } = serving('north')
    call.attempts.push({
      number: 1,
      offer: `north/${MODEL}`,
      backend: 'north',
      credential: null,
      outcome,
      reason: why,
      status,
      startedUs: 0,
      endedUs: 1,
      timing: timingOf('kept'),
      absorbed: false,
    })
    expect(serve('south')).toMatchObject({
      kind: 'moved',
      rule: 'attempt',
      reason,
      now: 'south',
    })
  })

  test('moves when the request puts others first, and when its backend has no such offer any more', () => {
    expect(serving('north').serve('south')).toMatchObject({ kind: 'moved', rule: 'order', now: 'south' })
    expect(serving('gone').serve('south')).toMatchObject({ kind: 'moved', rule: 'catalogue', now: 'south' })
  })
})

test('a request without a session leaves nothing behind', () => {
  const world = houseOf(1)
  const { call } = callAt(world)
  Object.assign(call, { accountId: ACCOUNT })
  const [only] = candidatesOf(world)
  if (only !== undefined) keepSession(world.house, call, [only], only)
  expect([call.stickiness, world.house.health.sessions.size]).toEqual([null, 0])
})
