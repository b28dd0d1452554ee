import { describe, expect, test } from 'bun:test'
import {
  COOLDOWN_MS,
  denied,
  FAILED,
  type HealthWorld,
  healthWorld,
  MAIN,
  NORTH,
  OK,
  rowOf,
  SPARE,
  stateOf,
  throttled,
} from './health-kit.ts'

describe('credentials of the operator', () => {
  const usable = (world: HealthWorld, claim = world.claim(NORTH)) => world.health.credentials(claim).map(({ id }) => id)

  test('one that is refused or throttled is passed over, and the backend is not blamed', () => {
    const world = healthWorld()
    world.attempt(denied(), { backend: NORTH, credential: MAIN })
    expect(stateOf(world, 'north')).toBe('in')
    expect(usable(world)).toEqual(['spare'])
    expect(rowOf(world, 'north')).toMatchObject({
      failures: null,
      throttle: null,
      credentials: [{ credential: 'main', kind: 'denied', lastStatus: 401, backoffMs: COOLDOWN_MS }],
    })
  })

  test('when none is left the backend is out until the first may be tried', () => {
    const world = healthWorld()
    world.attempt(denied(), { backend: NORTH, credential: MAIN })
    world.attempt(throttled(3000), { backend: NORTH, credential: SPARE })
    expect(world.health.exclusion('north')).toMatchObject({
      cause: 'credentials',
      untilMs: world.clock.wallMs() + 3000,
    })
    expect(world.health.claim(NORTH, true)).toBe('out')
    world.clock.advance(3000)
    const trial = world.claim(NORTH)
    expect(trial.isTrial).toBe(true)
    expect(usable(world, trial)).toEqual(['spare'])
    expect(world.health.claim(NORTH, false)).toBe('trial_running')
    world.attempt(OK, { claim: trial, credential: SPARE })
    expect(usable(world)).toEqual(['spare'])
    expect(world.claim(NORTH).isTrial).toBe(false)
  })

  test('one whose time is over is tried by one request, while the others go on with the rest', () => {
    const world = healthWorld()
    world.attempt(denied(), { backend: NORTH, credential: MAIN })
    world.clock.advance(COOLDOWN_MS)
    const trial = world.claim(NORTH)
    const beside = world.claim(NORTH)
    expect([trial.isTrial, beside.isTrial]).toEqual([true, false])
    expect(usable(world, trial)).toEqual(['main', 'spare'])
    expect(usable(world, beside)).toEqual(['spare'])
    world.health.attemptEnded({
      claim: trial,
      offer: 'north/m',
      accountId: 'acc_1',
      credential: MAIN,
      outcome: denied(),
      sent: true,
      blame: 'credential',
    })
    world.attempt(OK, { claim: trial, credential: SPARE })
    expect(rowOf(world, 'north')?.credentials).toMatchObject([{ credential: 'main', backoffMs: 2 * COOLDOWN_MS }])
    world.clock.advance(2 * COOLDOWN_MS)
    world.attempt(OK, { backend: NORTH, credential: MAIN })
    expect(rowOf(world, 'north')).toBeUndefined()
    expect(usable(world)).toEqual(['main', 'spare'])
  })

  test('what was under way when one was refused says nothing of it; when it was throttled, that it be left alone for longer', () => {
    const world = healthWorld()
    const under = { backend: NORTH, credential: MAIN, claim: world.claim(NORTH) }
    world.attempts(3, denied(), under)
    const fields = { backend: 'north', cause: 'credential', credential: 'main', for_ms: COOLDOWN_MS }
    expect(world.logs).toMatchObject([{ event: 'backend_out', fields }])
    expect(rowOf(world, 'north')?.credentials).toMatchObject([{ backoffMs: COOLDOWN_MS }])
    const other = healthWorld()
    const same = { ...under, claim: other.claim(NORTH) }
    other.attempt(throttled(1000), same)
    for (const outcome of [throttled(9000), throttled(3000), denied()]) other.attempt(outcome, same)
    const untilMs = other.clock.wallMs() + 9000
    expect(rowOf(other, 'north')?.credentials).toMatchObject([{ kind: 'throttled', backoffMs: 1000, untilMs }])
  })

  test('one that is in trouble is refused for certain by any refusal of its trial, and has been in it since the first', () => {
    const world = healthWorld()
    const sinceMs = world.clock.wallMs()
    world.attempt(denied(), { backend: NORTH, credential: MAIN })
    world.clock.advance(COOLDOWN_MS)
    world.attempt(denied(403), { backend: NORTH, credential: MAIN })
    expect(rowOf(world, 'north')?.credentials).toMatchObject([{ lastStatus: 403, sinceMs, backoffMs: 2 * COOLDOWN_MS }])
  })

  test('a probe shows one that is in no trouble', () => {
    const world = healthWorld()
    expect(world.health.probeCredential(NORTH)).toBe(MAIN)
    world.attempt(throttled(60_000), { backend: NORTH, credential: MAIN })
    expect(world.health.probeCredential(NORTH)).toBe(SPARE)
    world.clock.advance(60_000)
    expect(world.health.probeCredential(NORTH)).toBe(MAIN) // to be proved
  })

  test('a 403 or a 402 may be the request’s own: it takes five, and more than one account where there are several', () => {
    const world = healthWorld()
    const of = (accountId: string) => ({ backend: NORTH, credential: MAIN, accountId })
    world.attempt(OK, of('acc_2'))
    world.attempts(20, denied(403), of('acc_1'))
    expect(usable(world)).toEqual(['main', 'spare'])
    world.attempt(denied(403), of('acc_2'))
    expect(usable(world)).toEqual(['spare'])
    const alone = healthWorld()
    alone.attempts(4, denied(402), of('acc_1'))
    alone.attempt(OK, of('acc_1'))
    alone.attempts(4, denied(402), of('acc_1'))
    expect(usable(alone)).toEqual(['main', 'spare'])
    alone.attempt(denied(402), of('acc_1'))
    expect(usable(alone)).toEqual(['spare'])
  })

  test('a failure with one is the backend’s', () => {
    const world = healthWorld()
    world.attempts(5, FAILED, { backend: NORTH, credential: MAIN })
    expect(rowOf(world, 'north')).toMatchObject({ failures: { streak: 5 }, credentials: [] })
  })
})

describe('an own credential of an account', () => {
  const OWN = { id: 'cred_1', accountId: 'acc_1', provider: 'p', baseUrl: null, sealed: 's', secret: 'x', fault: null }
  const own = { backend: NORTH, credential: OWN }

  test.each([
    ['refused', denied(), true],
    ['throttled', throttled(5000), true],
    ['not served', FAILED, false],
  ] as const)('that is %s takes its backend from nobody', (_what, outcome, isFault) => {
    const world = healthWorld()
    world.attempt(outcome, own)
    expect(world.health.ownFault(OWN) !== null).toBe(isFault)
    world.attempts(9, outcome, own)
    expect(stateOf(world, 'north')).toBe('in')
    expect(rowOf(world, 'north')).toBeUndefined()
    expect(world.health.coolings('acc_1').size).toBe(0)
  })

  test('that serves is in no fault any more; it proves the backend, and no credential of the operator', () => {
    const world = healthWorld()
    world.attempt(denied(), own)
    world.clock.advance(2 * COOLDOWN_MS)
    world.attempt(OK, own)
    expect(world.health.beginOwnTrial(OWN)).toBe(false)
    world.attempt(denied(), { backend: NORTH, credential: MAIN })
    world.attempt(OK, own)
    expect(rowOf(world, 'north')).toMatchObject({ credentials: [{ credential: 'main' }] })
  })
})
