import { describe, expect, test } from 'bun:test'
import type { Backend, Outcome } from '../../../src/domain/index.ts'
import { probeBackends } from '../../../src/jobs/index.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { createHouseDouble, type HouseDouble, type HouseSpec } from '../../support/house.ts'
import { json, status } from '../../support/script.ts'

const UNSENT: Outcome = { kind: 'unsent', reason: 'connect', message: 'nothing listens' }
const FAILED: Outcome = { kind: 'failed', reason: 'status', status: 500, message: 'answered with status 500' }
const COOLDOWN_MS = 15_000

interface Probing extends AsyncDisposable {
  readonly world: HouseDouble
  /** So many failed attempts at north. */
  fail(outcome: Outcome, count?: number): void
}

function probing(spec: HouseSpec = {}, ping: Partial<NonNullable<Backend['ping']>> | null = {}, probe = true): Probing {
  const world = createHouseDouble({ backends: { north: { spares: ['sk-spare'] } }, ...spec })
  const { house } = world
  const catalogue = house.catalogue()
  const backends = new Map(
    [...catalogue.backends].map(([id, backend]) => [
      id,
      { ...backend, ping: ping === null || backend.ping === null ? null : { ...backend.ping, ...ping } },
    ]),
  )
  const stop = probeBackends({
    ...house,
    catalogue: () => ({ ...catalogue, backends }),
    settings: () => ({ probe }),
  })
  return {
    world,
    fail(outcome, count = 5) {
      const backend = backends.get('north')
      if (backend === undefined) throw new Error('no north')
      for (let at = 0; at < count; at++) {
        const claim = house.health.claim(backend, false)
        if (typeof claim === 'string') throw new Error(claim)
        house.health.attemptEnded({
          claim,
          offer: 'north/m',
          accountId: 'acc',
          credential: null,
          outcome,
          sent: false,
          blame: 'backend',
        })
        house.health.release(claim)
      }
    },
    async [Symbol.asyncDispose]() {
      stop()
      await world[Symbol.asyncDispose]()
    },
  }
}

describe('probeBackends', () => {
  test('asks a backend whose time is over, without tokens and without a credential; its slot comes back', async () => {
    await using probed = probing()
    const { world, fail } = probed
    world.clock.advance(60_000)
    expect(world.agent('north').exchanges).toEqual([])
    fail(UNSENT)
    world.clock.advance(COOLDOWN_MS * 0.8 - 1000) // chance makes it up to a fifth shorter
    expect(world.agent('north').exchanges).toEqual([])
    world.clock.advance(COOLDOWN_MS * 0.2 + 1000)
    const exchange = await world.agent('north').next()
    expect(exchange.request).toMatchObject({ method: 'GET', target: '/v1/models', body: null })
    expect(exchange.request.headers.map(([name]) => name)).not.toContain('authorization')
    world.clock.advance(5000)
    expect(world.agent('north').exchanges).toHaveLength(1)
    exchange.play(json(401, { error: { message: 'who?' } }))
    await settleMicrotasks()
    expect(world.house.health.stateOf('north')).toBe('in')
  })

  test.each([
    ['an answer that fails', (exchange: Played) => exchange.play(status(502))],
    ['a dial that fails', (exchange: Played) => exchange.unsent()],
    ['silence', (_exchange: Played, world: HouseDouble) => world.clock.advance(10_000)],
  ] as const)('%s makes the wait longer', async (_name, end) => {
    await using probed = probing()
    const { world, fail } = probed
    fail(FAILED)
    world.clock.advance(COOLDOWN_MS)
    end(await world.agent('north').next(), world)
    await settleMicrotasks()
    expect(world.house.health.stateOf('north')).toBe('out')
    expect(world.house.health.rows()).toMatchObject([{ failures: { streak: 6, backoffMs: 2 * COOLDOWN_MS } }])
  })

  test('shows a credential where its pings do, one that waits to be proved: what is accepted is in again', async () => {
    await using probed = probing({ backends: { north: {} } }, { withCredential: true })
    const { world } = probed
    const backend = world.house.catalogue().backends.get('north')
    const [credential] = backend?.provider.credentials ?? []
    const claim = backend === undefined ? 'out' : world.house.health.claim(backend, false)
    if (typeof claim === 'string' || credential === undefined) throw new Error('no claim')
    const error = { status: 401, message: 'no', type: null, code: null, param: null }
    const outcome: Outcome = { kind: 'denied', error }
    world.house.health.attemptEnded({
      claim,
      offer: 'north/m',
      accountId: 'a',
      credential,
      outcome,
      sent: true,
      blame: 'credential',
    })
    world.clock.advance(COOLDOWN_MS)
    const exchange = await world.agent('north').next()
    expect(exchange.request.headers).toContainEqual(['authorization', 'Bearer sk-provider-north'])
    exchange.play(json(200, { data: [] }))
    await settleMicrotasks()
    expect(world.house.health.rows()).toEqual([])
  })

  test.each([
    ['by the setting', {}, false],
    ['at the backend', null, true],
  ] as const)('is switched off %s', async (_name, ping, probe) => {
    await using probed = probing({}, ping, probe)
    const { world, fail } = probed
    fail(FAILED)
    world.clock.advance(60_000)
    expect(world.agent('north').exchanges).toEqual([])
  })

  test('asks nothing while every slot is taken', async () => {
    await using probed = probing({ backends: { north: { slots: 1 } } })
    const { world, fail } = probed
    fail(FAILED)
    const slot = world.agent('north').take()
    world.clock.advance(COOLDOWN_MS)
    await settleMicrotasks()
    expect(world.house.health.stateOf('north')).toBe('half_open')
    if (slot !== null) world.agent('north').release(slot)
  })
})

type Played = Awaited<ReturnType<ReturnType<HouseDouble['agent']>['next']>>
