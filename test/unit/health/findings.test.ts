import { describe, expect, test } from 'bun:test'
import type { Outcome } from '../../../src/domain/index.ts'
import {
  COOLDOWN_MS,
  denied,
  FAILED,
  type HealthWorld,
  healthWorld,
  OK,
  rowOf,
  SOUTH,
  said,
  stateOf,
  TIMED_OUT,
  throttled,
  UNSENT,
} from './health-kit.ts'

describe('what was sent before a backend was proved', () => {
  test('says nothing against it when it fails later', () => {
    const world = healthWorld()
    const late = Array.from({ length: 20 }, () => world.claim())
    world.attempts(5, FAILED)
    world.clock.advance(COOLDOWN_MS)
    world.attempt(OK)
    for (const claim of late) world.attempt(TIMED_OUT, { claim })
    expect(stateOf(world)).toBe('in')
    world.attempts(4, FAILED)
    expect(stateOf(world)).toBe('in')
    world.attempt(FAILED)
    expect(stateOf(world)).toBe('out')
  })

  test('nor before an operator ended its causes', async () => {
    const world = healthWorld()
    const late = Array.from({ length: 20 }, () => world.claim())
    world.attempts(5, FAILED)
    await world.health.clear('south', { actor: 'local:7', claim: null })
    for (const claim of late) world.attempt(TIMED_OUT, { claim })
    expect(stateOf(world)).toBe('in')
  })

  test('but the stream that proved it counts when it breaks', () => {
    const world = healthWorld()
    world.attempts(5, FAILED)
    world.clock.advance(COOLDOWN_MS)
    const claim = world.claim()
    const sent = { claim, offer: 'south/m', accountId: 'acc_1', credential: null }
    world.health.contentBegan(sent, 1000)
    world.health.release(claim)
    world.attempt({ kind: 'broken', reason: 'reset', message: 'cut' }, { claim })
    world.attempts(4, FAILED)
    expect(stateOf(world)).toBe('out')
  })
})

describe('failures take a backend out', () => {
  test('never one; five in a row; a success in between begins anew', () => {
    const world = healthWorld()
    world.attempts(4, FAILED)
    world.attempt(OK)
    world.attempts(4, FAILED)
    expect(stateOf(world)).toBe('in')
    world.attempt(FAILED)
    expect(stateOf(world)).toBe('out')
    const nowMs = world.clock.wallMs()
    expect(rowOf(world)?.failures).toEqual({
      sinceMs: nowMs,
      untilMs: nowMs + COOLDOWN_MS,
      backoffMs: COOLDOWN_MS,
      count: 9,
      streak: 5,
      lastStatus: 500,
      evidence: 'failed (status): answered with status 500',
    })
    expect(world.logs).toMatchObject([{ event: 'backend_out', fields: { backend: 'south', cause: 'failures' } }])
  })

  test('half of at least twenty within a minute', () => {
    const world = healthWorld()
    for (let at = 0; at < 9; at++) {
      world.attempt(OK)
      world.attempt(FAILED)
      world.clock.advance(1000)
    }
    world.attempt(OK)
    expect(stateOf(world)).toBe('in') // 9 of 19
    world.attempt(FAILED)
    expect(stateOf(world)).toBe('out')
    expect(rowOf(world)?.failures).toMatchObject({ count: 10, streak: 1 })
  })

  test('what is older than the window does not count', () => {
    const world = healthWorld()
    for (let at = 0; at < 40; at++) {
      world.attempt(OK)
      world.attempt(FAILED)
      world.clock.advance(7000)
    }
    expect(stateOf(world)).toBe('in')
  })

  test.each<[string, Outcome]>([
    ['a refusal', { kind: 'refused', error: said(400), usage: null }],
    ['a prompt too long', { kind: 'too_long', error: said(400) }],
    ['a caller who leaves', { kind: 'cancelled', by: 'client', sent: true }],
    ['no connection to spare here', { kind: 'unsent', reason: 'no_room', message: 'full' }],
  ])('%s is nothing against it, and nothing for it', (_name, outcome) => {
    const world = healthWorld()
    world.attempts(4, FAILED)
    world.attempts(50, outcome)
    expect(stateOf(world)).toBe('in')
    world.attempt(FAILED)
    expect(stateOf(world)).toBe('out')
  })

  test.each<[string, Outcome]>([
    ['dials that fail', UNSENT],
    ['streams that break', { kind: 'broken', reason: 'reset', message: 'cut' }],
    ['refusals of one that is shown no credential', denied()],
  ])('%s count', (_name, outcome) => {
    const world = healthWorld()
    world.attempts(5, outcome)
    expect(stateOf(world)).toBe('out')
  })

  test('the first two timeouts of requests that were sent whole are not counted within a window', () => {
    const world = healthWorld()
    world.attempts(6, TIMED_OUT)
    expect(stateOf(world)).toBe('in')
    world.attempt(TIMED_OUT)
    expect(stateOf(world)).toBe('out')
    const slow = healthWorld()
    for (let at = 0; at < 30; at++) {
      slow.attempt(TIMED_OUT)
      slow.clock.advance(31_000)
    }
    expect(stateOf(slow)).toBe('in')
  })
})

describe('half-open', () => {
  function halfOpen(): HealthWorld {
    const world = healthWorld()
    world.attempts(5, FAILED)
    world.clock.advance(COOLDOWN_MS)
    expect(stateOf(world)).toBe('half_open')
    return world
  }

  test('one trial at a time, which every ending gives back', () => {
    const world = halfOpen()
    const first = world.claim()
    expect(first.isTrial).toBe(true)
    expect(world.health.claim(SOUTH, false)).toBe('trial_running')
    expect(world.health.chanceOf(SOUTH, false)).toBe('trial_running')
    let told = 0
    const stop = world.health.onTrialEnd('south', () => told++)
    world.health.release(first) // nothing was sent
    world.health.release(first)
    expect(told).toBe(1)
    stop()
    expect(world.claim().isTrial).toBe(true)
  })

  test('a trial that is cancelled, refused or too long proves nothing', () => {
    const world = halfOpen()
    world.attempt({ kind: 'cancelled', by: 'client', sent: true })
    world.attempt({ kind: 'refused', error: said(422), usage: null })
    world.attempt({ kind: 'too_long', error: said(400) })
    expect(stateOf(world)).toBe('half_open')
    expect(rowOf(world)?.failures).toMatchObject({ streak: 5, backoffMs: COOLDOWN_MS })
  })

  test('a success ends the cause, at its first content already', () => {
    const world = halfOpen()
    const claim = world.claim()
    world.health.contentBegan({ claim, offer: 'south/m', accountId: 'acc_1', credential: null }, 200_000)
    expect(stateOf(world)).toBe('in')
    expect(world.logs.at(-1)).toMatchObject({ event: 'backend_proved' })
    world.health.release(claim)
    expect(world.claim().isTrial).toBe(false)
    world.attempt({ kind: 'broken', reason: 'reset', message: 'cut' }, { claim })
    world.attempts(3, FAILED)
    expect(stateOf(world)).toBe('in')
    world.attempt(FAILED)
    expect(stateOf(world)).toBe('out')
  })

  test('each failed trial doubles the wait, up to the longest; one timeout is enough', () => {
    const world = halfOpen()
    const waits: number[] = []
    for (let at = 0; at < 7; at++) {
      world.attempt(TIMED_OUT)
      const { untilMs = 0, streak } = rowOf(world)?.failures ?? {}
      expect(streak).toBe(6 + at)
      waits.push(untilMs - world.clock.wallMs())
      world.clock.advance(waits.at(-1) ?? 0)
    }
    expect(waits).toEqual([30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000])
  })

  test('what was under way when it was taken out says nothing, neither for nor against it', () => {
    const world = healthWorld()
    const early = [world.claim(), world.claim(), world.claim()] as const
    world.attempts(5, FAILED)
    world.attempt(FAILED, { claim: early[0] })
    world.attempt(OK, { claim: early[1] })
    expect(stateOf(world)).toBe('out')
    expect(rowOf(world)?.failures).toMatchObject({ streak: 5, backoffMs: COOLDOWN_MS })
    world.clock.advance(COOLDOWN_MS)
    world.attempt(OK, { claim: early[2] })
    expect(stateOf(world)).toBe('half_open')
  })

  test('what was under way when it was throttled may ask to be left alone for longer, and does not make the back-off longer', () => {
    const world = healthWorld()
    const early = [world.claim(), world.claim()] as const
    world.attempt(throttled(2000, 529))
    world.clock.advance(500)
    world.attempt(throttled(null, 529), { claim: early[0] })
    expect(rowOf(world)?.throttle).toMatchObject({ backoffMs: 2000, untilMs: world.clock.wallMs() + 1500 })
    world.attempt(throttled(9000, 529), { claim: early[1] })
    const throttle = { backoffMs: 2000, untilMs: world.clock.wallMs() + 9000, source: 'retry_after' }
    expect(rowOf(world)?.throttle).toMatchObject(throttle)
  })

  test('the least bad of all is tried through the same claim, for failures alone', () => {
    const world = healthWorld()
    world.attempts(5, FAILED)
    expect(world.health.claim(SOUTH, false)).toBe('out')
    const claim = world.claim(SOUTH, true)
    expect(claim.isTrial).toBe(true)
    expect(world.health.claim(SOUTH, true)).toBe('trial_running')
    world.attempt(OK, { claim })
    expect(stateOf(world)).toBe('in')
    world.attempt(throttled(5000, 529))
    expect(world.health.claim(SOUTH, true)).toBe('out')
  })
})

describe('a throttle', () => {
  test('lasts as long as the provider names, then one request tries it', () => {
    const world = healthWorld()
    world.attempt(throttled(40_000, 503))
    expect(rowOf(world)?.throttle).toMatchObject({ source: 'retry_after', backoffMs: 40_000 })
    expect(world.health.exclusion('south')).toMatchObject({ cause: 'throttle', untilMs: world.clock.wallMs() + 40_000 })
    world.clock.advance(40_000)
    expect(world.claim().isTrial).toBe(true)
  })

  test('is bounded by the longest, and short where the provider names no time: it doubles up to the first wait', () => {
    const named = healthWorld()
    named.attempt(throttled(3_600_000, 529))
    expect(rowOf(named)?.throttle?.untilMs).toBe(named.clock.wallMs() + 600_000)
    const world = healthWorld()
    const waits: number[] = []
    for (let at = 0; at < 6; at++) {
      world.attempt(throttled(null, 529))
      waits.push((rowOf(world)?.throttle?.untilMs ?? 0) - world.clock.wallMs())
      world.clock.advance(waits.at(-1) ?? 0)
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000])
  })

  test('has been there since the first, however often it is made longer', () => {
    const world = healthWorld()
    const sinceMs = world.clock.wallMs()
    world.attempt(throttled(5000))
    world.clock.advance(5000)
    world.attempt(throttled(5000))
    expect(rowOf(world)?.throttle).toMatchObject({ sinceMs, untilMs: sinceMs + 15_000 })
  })

  test('of many requests that are throttled together counts once; a success ends it', () => {
    const world = healthWorld()
    const claims = [world.claim(), world.claim(), world.claim()]
    for (const claim of claims) world.attempt(throttled(null, 529), { claim })
    expect(rowOf(world)?.throttle?.backoffMs).toBe(1000)
    world.clock.advance(1000)
    world.attempt(FAILED)
    expect(rowOf(world)?.throttle?.backoffMs).toBe(2000) // a trial that fails otherwise proves it neither
    world.clock.advance(2000)
    world.attempt(OK)
    expect(rowOf(world)).toBeUndefined()
  })
})
