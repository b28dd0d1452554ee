import { describe, expect, test } from 'bun:test'
import { type Backend, GatewayError, NO_CAUSES, type QuarantineRow } from '../../../src/domain/index.ts'
import { credentialMark } from '../../../src/health/credential-mark.ts'
import { fakeClock, settleMicrotasks } from '../../support/fake-clock.ts'
import {
  COOLDOWN_MS,
  denied,
  FAILED,
  type HealthWorld,
  healthWorld,
  MAIN,
  NORTH,
  OK,
  SOUTH,
  stateOf,
  throttled,
  UNSENT,
} from './health-kit.ts'

const BY = { actor: 'key:mkey_1', claim: null }
const WISH = { backend: 'north', reason: 'a flood', forMs: 60_000 }
const onDisk = ({ store }: HealthWorld, backend = 'south') => store.tables.quarantine.get(backend)

describe('an operator', () => {
  test('is obeyed until the end, by the clock alone', async () => {
    const { clock, health } = healthWorld()
    await health.set(WISH, BY)
    clock.advance(59_999)
    expect(health.exclusion('north')).not.toBeNull()
    clock.advance(1)
    expect(health.exclusion('north')).toBeNull()
    expect(health.rows()).toEqual([])
    expect(health.claim(NORTH, false)).toMatchObject({ isTrial: false })
  })

  test('clears every cause, on disk too, also what was found out meanwhile', async () => {
    const world = healthWorld()
    const { health, store } = world
    world.attempts(5, FAILED)
    world.attempt(throttled(5000, 529), { claim: { backend: SOUTH, isTrial: false, number: 9 } })
    expect(health.rows()).toMatchObject([{ failures: { streak: 5 }, throttle: { source: 'retry_after' } }])
    store.disk.holdBack()
    const clearing = health.clear('south', BY)
    store.disk.commit()
    world.attempt(denied(), { claim: { backend: SOUTH, isTrial: false, number: 9 }, credential: MAIN })
    store.disk.acknowledge()
    store.disk.letGo()
    await clearing
    await settleMicrotasks()
    expect(health.rows()).toEqual([])
    expect(onDisk(world)).toMatchObject({ failures: null, throttle: null, credentials: [] })
    expect(store.tables.audit.at(-1)?.details).toEqual({ causes: ['failures', 'throttle'] })
    world.attempts(4, FAILED)
    expect(health.exclusion('south')).toBeNull() // counts begin anew
  })
})

test("an operator's order changes memory when it is on disk, and not when the disk refuses", async () => {
  const { store, health } = healthWorld()
  store.disk.holdBack()
  const writing = health.set(WISH, BY)
  expect(health.exclusion('north')).toBeNull()
  store.disk.fail()
  store.disk.commit()
  store.disk.acknowledge()
  expect(await writing.catch((error: unknown) => error)).toBeInstanceOf(GatewayError)
  expect(health.exclusion('north')).toBeNull()
  store.disk.heal()
  store.disk.letGo()
  await health.set(WISH, BY)
  expect(health.exclusion('north')).not.toBeNull()
})

test('writes that are told of in the wrong order leave the newer row', async () => {
  const { store, health } = healthWorld()
  store.disk.holdBack()
  const set = health.set(WISH, BY)
  store.disk.commit()
  const clear = health.clear('north', BY)
  store.disk.commit()
  store.disk.acknowledge(1)
  await clear
  store.disk.acknowledge(0)
  await set
  expect(health.exclusion('north')).toBeNull()
  expect(health.quarantine().get('north')?.version).toBe(2)
  store.disk.letGo()
})

test('a snapshot that was taken stays as it was', async () => {
  const world = healthWorld()
  const before = world.health.quarantine()
  await world.health.set(WISH, BY)
  world.attempts(5, FAILED)
  expect(before.size).toBe(0)
  expect(world.health.quarantine().size).toBe(2)
})

test('what is found out is in memory at once; nobody waits for the disk, which may fail', async () => {
  const world = healthWorld()
  const { store, health } = world
  store.disk.holdBack()
  world.attempts(5, FAILED)
  expect(health.exclusion('south')).toMatchObject({ cause: 'failures', by: null })
  expect(onDisk(world)).toBeUndefined()
  store.disk.letGo()
  expect(onDisk(world)).toMatchObject({ failures: { streak: 5, lastStatus: 500 } })
})

describe('rows that were loaded', () => {
  const base = { ...NO_CAUSES, backend: 'north', version: 3 }
  const operated = (sinceMs: number, untilMs: number | null): QuarantineRow => ({
    ...base,
    operator: { by: 'local:7', reason: 'a flood', sinceMs, untilMs },
  })

  test('hold on, with the rest of their time', () => {
    const nowMs = fakeClock().wallMs()
    const { health } = healthWorld([operated(nowMs - 1000, nowMs + 9000)])
    expect(health.exclusion('north')).toMatchObject({ untilMs: nowMs + 9000 })
  })

  test('last at most as long as they were meant to, where the clock was set back meanwhile', () => {
    const nowMs = fakeClock().wallMs()
    const { health } = healthWorld([operated(nowMs + 3_600_000, nowMs + 3_610_000)])
    expect(health.exclusion('north')).toMatchObject({ untilMs: nowMs + 10_000 })
    expect(healthWorld([operated(nowMs + 3_600_000, null)]).health.exclusion('north')).toMatchObject({ untilMs: null })
  })

  test('what was found out lasts at most as long as its cause may', () => {
    const nowMs = fakeClock().wallMs()
    const farMs = nowMs + 86_400_000
    const wait = { sinceMs: farMs, untilMs: farMs, backoffMs: 15_000, evidence: 'seen' }
    const { health } = healthWorld([
      {
        ...base,
        failures: { ...wait, count: 5, streak: 5, lastStatus: 500 },
        throttle: { ...wait, source: 'back_off' },
        credentials: [
          {
            ...wait,
            credential: 'main',
            mark: credentialMark(MAIN),
            kind: 'denied',
            source: 'back_off',
            lastStatus: 401,
          },
        ],
      },
    ])
    const latestMs = nowMs + 600_000
    expect(health.rows()).toMatchObject([
      { failures: { untilMs: latestMs }, throttle: { untilMs: latestMs }, credentials: [{ untilMs: latestMs }] },
    ])
  })

  test('go on where they stood: half-open after their time, and a failed trial doubles the wait that was loaded', () => {
    const nowMs = fakeClock().wallMs()
    const failures = { count: 5, streak: 5, lastStatus: 500, sinceMs: nowMs - 9000, untilMs: nowMs + 6000 }
    const row = { ...NO_CAUSES, backend: 'south', failures: { ...failures, backoffMs: 15_000, evidence: 'seen' } }
    const world = healthWorld([row])
    expect(world.health.claim(SOUTH, false)).toBe('out')
    world.clock.advance(6000)
    world.attempt(FAILED)
    expect(world.health.rows()).toMatchObject([
      { failures: { streak: 6, backoffMs: 30_000, untilMs: nowMs + 36_000, sinceMs: nowMs - 9000 } },
    ])
    world.clock.advance(30_000)
    world.attempt(OK)
    expect(world.health.rows()).toEqual([])
  })
})

test('a backend that is at another place now begins anew; one that stays where it was does not', () => {
  const world = healthWorld()
  const { health } = world
  world.attempts(5, FAILED)
  world.attempt(throttled(5000, 529), { backend: NORTH })
  const before = new Map([NORTH, SOUTH].map((backend) => [backend.id, backend]))
  health.replaced(before, new Map(before).set('south', { ...SOUTH, baseUrl: 'https://elsewhere.example/v1' }))
  expect(health.rows()).toMatchObject([{ backend: 'north', throttle: { source: 'retry_after' } }])
  health.replaced(before, new Map())
  expect(health.rows()).toHaveLength(1)
})

describe('a backend that was moved', () => {
  /** `south` stands elsewhere from now on. */
  function moved(world: HealthWorld): Backend {
    const there = { ...SOUTH, baseUrl: 'https://elsewhere.example/v1' }
    const before = new Map(world.backends)
    world.backends.set('south', there)
    world.health.replaced(before, world.backends)
    return there
  }

  test('is not blamed for what was still under way to where it stood', () => {
    const world = healthWorld()
    const claims = Array.from({ length: 6 }, () => world.claim())
    const there = moved(world)
    claims.push(world.claim(), world.claim(there))
    for (const claim of claims.slice(0, -1)) world.attempt(UNSENT, { claim, offer: 'south/m' })
    expect(stateOf(world)).toBe('in')
    expect(world.health.observedOf(['south/m'])).toBeNull()
    world.attempt(UNSENT, { backend: there, offer: 'south/m' })
    expect(world.health.observedOf(['south/m'])?.samples).toBe(1)
  })

  test('has no failures counted against it yet, and no account leaves it alone', () => {
    const world = healthWorld()
    world.attempt(OK, { accountId: 'acc_2' })
    world.attempts(5, FAILED)
    expect(world.health.coolings('acc_1').has('south')).toBe(true)
    const there = moved(world)
    expect(world.health.coolings('acc_1').has('south')).toBe(false)
    world.attempts(4, FAILED, { backend: there, accountId: 'acc_2' })
    expect(stateOf(world)).toBe('in')
  })
})

describe('the wall clock is set while it runs', () => {
  test('back or forth: a quarantine lasts as long as it was meant to, and is told in the time of the day', async () => {
    for (const stepMs of [-3_600_000, 3_600_000]) {
      const world = healthWorld()
      const { clock, health } = world
      world.attempts(5, FAILED)
      await health.set(WISH, BY)
      clock.stepWall(stepMs)
      expect(health.exclusion('south')?.untilMs).toBe(clock.wallMs() + COOLDOWN_MS)
      expect(health.exclusion('north')?.untilMs).toBe(clock.wallMs() + 60_000)
      clock.advance(COOLDOWN_MS - 1)
      expect(health.claim(SOUTH, false)).toBe('out')
      clock.advance(1)
      expect(health.claim(SOUTH, false)).toMatchObject({ isTrial: true })
      clock.advance(60_000 - COOLDOWN_MS)
      expect(health.exclusion('north')).toBeNull()
    }
  })

  test('what goes to the disk after that is in the time of the day', async () => {
    const world = healthWorld()
    world.clock.stepWall(-3_600_000)
    world.attempts(5, FAILED)
    await settleMicrotasks()
    expect(onDisk(world)?.failures?.untilMs).toBe(world.clock.wallMs() + COOLDOWN_MS)
  })
})
