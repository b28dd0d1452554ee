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
  SOUTH,
  stateOf,
  UNSENT,
} from './health-kit.ts'

describe('one account’s troubles', () => {
  const of = (accountId: string) => ({ accountId })
  const cooled = ({ health }: HealthWorld, accountId: string) => health.coolings(accountId).get('south')

  test('cool the backend for that account alone, twice as long when they go on', () => {
    const world = healthWorld()
    world.attempt(OK, of('acc_2'))
    for (let at = 0; at < 5; at++) {
      world.attempt(FAILED, of('acc_1'))
      world.attempt(OK, of('acc_2'))
    }
    expect(stateOf(world)).toBe('in')
    expect(cooled(world, 'acc_2')).toBeUndefined()
    expect(cooled(world, 'acc_1')).toMatchObject({ untilMs: world.health.nowMs() + COOLDOWN_MS })
    expect(world.health.coolingsAt('south')).toMatchObject([{ accountId: 'acc_1' }])
    world.attempts(5, FAILED, of('acc_1')) // what was under way
    expect(cooled(world, 'acc_1')).toMatchObject({
      untilMs: world.health.nowMs() + COOLDOWN_MS,
      backoffMs: COOLDOWN_MS,
    })
    world.clock.advance(COOLDOWN_MS)
    expect(world.health.coolingsAt('south')).toEqual([])
    world.attempt(OK, of('acc_2'))
    world.attempt(FAILED, of('acc_1'))
    expect(cooled(world, 'acc_1')).toMatchObject({ untilMs: world.health.nowMs() + 2 * COOLDOWN_MS })
    world.clock.advance(2 * COOLDOWN_MS)
    world.attempt(OK, of('acc_1'))
    expect(cooled(world, 'acc_1')).toBeUndefined()
  })

  test('a chance failure of another account, which is well otherwise, confirms nothing', () => {
    const world = healthWorld()
    for (let at = 0; at < 300; at++) {
      world.attempt(OK, of('acc_2'))
      world.attempt(FAILED, of('acc_1'))
      if (at % 20 === 0) world.attempt(FAILED, of('acc_2'))
      world.attempt(OK, of('acc_2'))
      world.clock.advance(500)
    }
    expect(stateOf(world)).toBe('in')
  })

  test('take it out when a second account sees them', () => {
    const world = healthWorld()
    world.attempt(OK, of('acc_2'))
    world.attempts(5, FAILED, of('acc_1'))
    expect(stateOf(world)).toBe('in')
    world.attempt(FAILED, of('acc_2'))
    expect(stateOf(world)).toBe('out')
    expect(cooled(world, 'acc_1')).toBeUndefined() // the row says it now
  })

  test('take it out when it cannot be reached', () => {
    const world = healthWorld()
    world.attempt(OK, of('acc_2'))
    world.attempts(4, FAILED, of('acc_1'))
    world.attempt(UNSENT, of('acc_1'))
    expect(stateOf(world)).toBe('out')
  })

  test('take it out when it alone was active within the window', () => {
    const world = healthWorld()
    world.attempt(OK, of('acc_2'))
    world.clock.advance(60_001)
    world.attempts(5, FAILED, of('acc_1'))
    expect(stateOf(world)).toBe('out')
  })
})

describe('probes', () => {
  const due = ({ health }: HealthWorld) => health.probesDue([NORTH, SOUTH]).map(({ id }) => id)
  const failing = { kind: 'failed', message: 'answered with status 502', isConnection: false } as const

  test('are for half-open backends without a trial, once in a first wait', () => {
    const world = healthWorld()
    world.attempts(5, FAILED)
    expect(due(world)).toEqual([])
    world.clock.advance(COOLDOWN_MS)
    expect(due(world)).toEqual(['south'])
    const trial = world.claim()
    expect(due(world)).toEqual([])
    world.health.release(trial)
    world.health.beginProbe(SOUTH)
    expect(due(world)).toEqual([])
    world.clock.advance(COOLDOWN_MS)
    expect(due(world)).toEqual(['south'])
    expect(world.health.probesDue([{ ...SOUTH, enabled: false }])).toEqual([])
  })

  test('one that fails is a failed trial that no caller had to make', () => {
    const world = healthWorld()
    world.attempts(5, FAILED)
    world.clock.advance(COOLDOWN_MS)
    const probe = world.health.beginProbe(SOUTH)
    world.health.probeEnded(probe, failing)
    expect(rowOf(world)?.failures).toMatchObject({ streak: 6, backoffMs: 2 * COOLDOWN_MS, evidence: failing.message })
    world.health.probeEnded(probe, failing) // began before
    expect(rowOf(world)?.failures?.backoffMs).toBe(2 * COOLDOWN_MS)
  })

  test('one that is answered proves a backend that could not be reached, and no other', () => {
    const answered = { kind: 'answered', status: 401, credential: null } as const
    const unreachable = healthWorld()
    unreachable.attempts(5, UNSENT)
    unreachable.clock.advance(COOLDOWN_MS)
    unreachable.health.probeEnded(unreachable.health.beginProbe(SOUTH), answered)
    expect(stateOf(unreachable)).toBe('in')
    const failed = healthWorld()
    failed.attempts(5, FAILED)
    failed.clock.advance(COOLDOWN_MS)
    failed.health.probeEnded(failed.health.beginProbe(SOUTH), answered)
    expect(stateOf(failed)).toBe('half_open')
  })

  test('are for none that an operator wants left alone, whoever it fails', async () => {
    const world = healthWorld()
    world.attempt(OK, { accountId: 'acc_2' })
    world.attempts(5, FAILED)
    await world.health.set({ backend: 'south', reason: 'maintenance', forMs: null }, { actor: 'local:7', claim: null })
    expect(due(world)).toEqual([])
  })

  test('confirm what one account alone has seen', () => {
    const world = healthWorld()
    world.attempt(OK, { accountId: 'acc_2' })
    world.attempts(5, FAILED)
    expect(due(world)).toEqual(['south'])
    world.health.probeEnded(world.health.beginProbe(SOUTH), { kind: 'answered', status: 200, credential: null })
    expect(stateOf(world)).toBe('in')
    world.health.probeEnded(world.health.beginProbe(SOUTH), failing)
    expect(stateOf(world)).toBe('out')
  })

  test('with a credential that was refused before: its answer tells of it', () => {
    const world = healthWorld()
    world.attempt(denied(), { backend: NORTH, credential: MAIN })
    const ended = (status: number) =>
      world.health.probeEnded(world.health.beginProbe(NORTH), { kind: 'answered', status, credential: MAIN })
    ended(401)
    expect(rowOf(world, 'north')?.credentials).toHaveLength(1)
    ended(200)
    expect(rowOf(world, 'north')).toBeUndefined()
  })
})
