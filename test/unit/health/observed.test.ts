import { describe, expect, test } from 'bun:test'
import { createHealth } from '../../../src/health/index.ts'
import { ownSecret } from '../pipeline/route/route-kit.ts'
import { denied, FAILED, healthWorld, MAIN, NORTH, OK, SOUTH, said, throttled, UNSENT } from './health-kit.ts'

const OFFER = 'south/m'
const MINUTE_MS = 60_000

/** The newest snapshot, a second later. */
function observed(world: ReturnType<typeof healthWorld>, offer = OFFER) {
  world.clock.advance(1000)
  return world.health.observed().of(offer)
}

describe('which endings count', () => {
  test('successes, and what the backend or a credential of the operator is to blame for', () => {
    const world = healthWorld()
    world.attempt(OK)
    world.attempt(FAILED)
    world.attempt(UNSENT)
    world.attempt({ kind: 'broken', reason: 'reset', message: 'cut' })
    world.attempt(OK, { backend: NORTH, credential: MAIN, offer: OFFER })
    world.attempt(throttled(null), { backend: NORTH, credential: MAIN, offer: OFFER })
    expect(observed(world)).toMatchObject({ samples: 6, successRate: 2 / 6 })
  })

  test("not the client's fault, nor its leaving, nor what is wrong with an own credential, nor our own want of room", () => {
    const world = healthWorld()
    world.attempt({ kind: 'refused', error: said(400), usage: null })
    world.attempt({ kind: 'too_long', error: said(400) })
    world.attempt({ kind: 'cancelled', by: 'client', sent: true })
    world.attempt({ kind: 'unsent', reason: 'no_room', message: 'full' })
    const credential = ownSecret('own', SOUTH.provider.id)
    const own = { claim: world.claim(), offer: OFFER, accountId: 'acc', credential, sent: true }
    world.health.attemptEnded({ ...own, outcome: denied(), blame: 'credential' })
    expect(observed(world)).toBeNull()
    world.health.attemptEnded({ ...own, outcome: FAILED, blame: 'backend' })
    expect(observed(world)).toMatchObject({ samples: 1, successRate: 0 })
  })

  test("nothing of a place of an account's own", () => {
    const world = healthWorld()
    const offer = 'own:cred_1/m'
    world.attempt(OK, { offer })
    world.health.contentBegan({ claim: world.claim(), offer, accountId: 'acc', credential: null }, 1000)
    expect(observed(world, offer)).toBeNull()
    expect(world.health.takeLearned(10, 10).observed).toEqual([])
  })

  test('the speed of a few tokens, or of what came in one piece, is chance', () => {
    const world = healthWorld()
    world.attempt(OK, { answer: { tokens: 9, us: 1_000_000 } })
    world.attempt(OK, { answer: { tokens: 500, us: 9000 } })
    expect(observed(world)?.throughput).toBeNull()
    world.attempt(OK, { answer: { tokens: 100, us: 2_000_000 } })
    expect(observed(world)?.tokensPerSecond).toBeWithin(47, 53)
  })
})

describe('a snapshot', () => {
  test('is the same for a second, then another when something came', () => {
    const world = healthWorld()
    const first = world.health.observed()
    world.attempt(OK)
    expect(world.health.observed()).toBe(first)
    expect(first.of(OFFER)).toBeNull()
    world.clock.advance(1000)
    const second = world.health.observed()
    expect(second.version).toBeGreaterThan(first.version)
    expect(second.of(OFFER)?.samples).toBe(1)
    world.clock.advance(1000)
    expect(world.health.observed()).toBe(second)
    world.attempt(FAILED)
    world.clock.advance(1000)
    expect(world.health.observed().of(OFFER)?.samples).toBe(2)
    expect(second.of(OFFER)?.samples).toBe(1)
  })

  test('forgets what is past though nothing comes', () => {
    const world = healthWorld()
    world.attempt(OK)
    expect(observed(world)?.samples).toBe(1)
    world.clock.advance(31 * MINUTE_MS)
    expect(world.health.observed().of(OFFER)).toMatchObject({ samples: 0, uptime: { last1d: 1 } })
  })
})

test('all offers of a backend are told as one', () => {
  const world = healthWorld()
  world.attempt(OK, { offer: 'south/a' })
  world.attempt(FAILED, { offer: 'south/b' })
  expect(world.health.observedOf(['south/a', 'south/b', 'south/none'])?.samples).toBe(2)
  expect(world.health.observedOf(['south/none'])).toBeNull()
})

test('a backend that is another place now begins anew', () => {
  const world = healthWorld()
  world.attempt(FAILED)
  world.attempt(FAILED, { backend: NORTH, offer: 'north/m' })
  expect(observed(world)?.samples).toBe(1)
  const before = new Map([NORTH, SOUTH].map((one) => [one.id, one]))
  const after = new Map(before).set(SOUTH.id, { ...SOUTH, baseUrl: 'https://elsewhere.example/v1' })
  world.health.replaced(before, after)
  expect(world.health.observed().of(OFFER)).toBeNull()
  expect(world.health.observed().of('north/m')?.samples).toBe(1)
  expect(world.health.takeLearned(10, 0)).toMatchObject({ forgotten: [OFFER], observed: [{ offer: 'north/m' }, {}] })
  expect(world.health.takeLearned(10, 0).forgotten).toEqual([])
})

test('one that begins anew when a minute begins is forgotten too', () => {
  const world = healthWorld()
  world.attempt(FAILED)
  expect(observed(world)?.samples).toBe(1)
  world.clock.advance(MINUTE_MS)
  world.health.replaced(
    new Map([[SOUTH.id, SOUTH]]),
    new Map([[SOUTH.id, { ...SOUTH, baseUrl: 'https://elsewhere.example/v1' }]]),
  )
  expect(world.health.observed().of(OFFER)).toBeNull()
})

test('what was taken is known again after a restart', () => {
  const world = healthWorld()
  for (const offer of ['south/a', 'south/b', 'south/c']) world.attempt(OK, { offer })
  world.health.contentBegan({ claim: world.claim(), offer: 'south/a', accountId: 'acc', credential: null }, 250_000)
  const kept = [...world.health.takeLearned(2, 0).observed]
  expect(new Set(kept.map(({ offer }) => offer))).toEqual(new Set(['south/a', 'south/b']))
  kept.push(...world.health.takeLearned(10, 0).observed)
  expect(world.health.takeLearned(10, 0)).toEqual({ forgotten: [], observed: [], sticky: [] })
  const { clock, store } = world
  const log = { info: () => {}, warn: () => {} }
  const settings = () => world.settings
  const stickiness = () => ({ lifeMs: 0 })
  const options = { rows: [], writer: store.writer, clock, random: { fraction: () => 0 }, log, settings, stickiness }
  const again = createHealth({ ...options, backends: () => new Map(), observed: kept })
  world.clock.advance(1000)
  for (const offer of ['south/a', 'south/b', 'south/c'])
    expect(again.observed().of(offer)).toEqual(world.health.observed().of(offer))
  expect(again.observed().of('south/a')?.firstContentP50Ms).toBeWithin(238, 262)
})

test('nothing is observed at accounts’ own places', () => {
  const world = healthWorld()
  const offer = 'own:cred_1/m'
  world.attempt(OK, { offer })
  world.attempt(FAILED, { offer })
  expect(observed(world, offer)).toBeNull()
})
