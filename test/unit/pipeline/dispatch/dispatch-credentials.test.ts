import { describe, expect, spyOn, test } from 'bun:test'
import type { Agent } from '../../../../src/agents/index.ts'
import { dispatch } from '../../../../src/pipeline/dispatch/dispatch.ts'
import type { AffordableCandidate } from '../../../../src/pipeline/handover.ts'
import { createHouseDouble, type HouseDouble, type HouseSpec, MODEL } from '../../../support/house.ts'
import { status } from '../../../support/script.ts'
import { callAt, candidatesOf, preparedOf } from '../support.ts'
import { dispatching, errorOf, PLAIN } from './dispatch-kit.ts'

const SPARES = ['sk-second', 'sk-third', 'sk-fourth']

/** One backend with credentials and another, each answering every request by the credential it shows. */
function houseOf(answers: Readonly<Record<string, number>>, spec: HouseSpec = {}): HouseDouble {
  const world = createHouseDouble({ backends: { north: { spares: SPARES }, south: {} }, ...spec })
  for (const name of ['north', 'south']) {
    const agent = world.agent(name)
    const { send } = agent
    Object.assign(agent, {
      send(...args: Parameters<typeof send>) {
        const shown = args[1].headers.find(([header]) => header === 'authorization')?.[1].replace('Bearer ', '') ?? ''
        const code = answers[shown]
        agent.plays(code === undefined ? PLAIN : status(code))
        return send.apply(agent, args)
      },
    })
  }
  return world
}

const tried = (call: { attempts: readonly { credential: string | null; outcome: string }[] }) =>
  call.attempts.map(({ credential, outcome }) => `${credential} ${outcome}`)

describe('another credential of the same backend', () => {
  test.each([401, 402, 403, 429])('after %i', async (code) => {
    await using world = houseOf({ 'sk-provider-north': code })
    const { call, ended } = dispatching(world)
    expect(await ended).toMatchObject({ kind: 'answered', candidate: { offer: { backend: { id: 'north' } } } })
    expect(call.attempts.map(({ credential }) => credential)).toEqual(['cred_north', 'cred_north_1'])
  })

  test.each([500, 529])('not after %i: that is the backend’s', async (code) => {
    await using world = houseOf({ 'sk-provider-north': code })
    const { call, ended } = dispatching(world)
    expect((await ended).kind).toBe('answered')
    expect(call.attempts.map(({ credential }) => credential)).toEqual(['cred_north', 'cred_south'])
  })

  test.each([
    ['cred_north_2', ['cred_north_2']],
    ['gone', ['cred_north']],
  ])('%s comes first, with which it was made what the request goes on from', async (keptWith, wanted) => {
    await using world = houseOf({})
    const { call, ended } = dispatching(world, {}, keptWith)
    expect((await ended).kind).toBe('answered')
    expect(call.attempts.map(({ credential }) => credential)).toEqual(wanted)
  })

  test('changing it after a refusal counts once for a backend, however many there are', async () => {
    const refused = Object.fromEntries(['sk-provider-north', ...SPARES].map((secret) => [secret, 401]))
    await using world = houseOf(refused, { routing: { attemptsMax: 3 } })
    const { call, ended } = dispatching(world)
    expect((await ended).kind).toBe('answered')
    expect(tried(call)).toEqual([
      'cred_north denied',
      'cred_north_1 denied',
      'cred_north_2 denied',
      'cred_north_3 denied',
      'cred_south succeeded',
    ])
  })

  test('it does count: with one attempt there is no change; another attempt may serve', async () => {
    await using world = houseOf({ 'sk-provider-north': 401 }, { routing: { attemptsMax: 1 } })
    const { call, ended } = dispatching(world)
    expect(errorOf(await ended)).toMatchObject({ code: 'provider_failed' })
    expect(tried(call)).toEqual(['cred_north denied'])
  })

  test('each that is throttled counts', async () => {
    const throttled = Object.fromEntries(['sk-provider-north', ...SPARES].map((secret) => [secret, 429]))
    await using world = houseOf(throttled, { routing: { attemptsMax: 3 } })
    const { call, ended } = dispatching(world)
    expect(errorOf(await ended)).toMatchObject({ code: 'rate_limit_exceeded' })
    expect(tried(call)).toEqual(['cred_north throttled', 'cred_north_1 throttled', 'cred_north_2 throttled'])
  })

  test('keeps the one slot', async () => {
    await using world = houseOf(
      { 'sk-provider-north': 401 },
      { backends: { north: { slots: 1, spares: SPARES }, south: {} } },
    )
    const { ended } = dispatching(world)
    expect(await ended).toMatchObject({ kind: 'answered', candidate: { offer: { backend: { id: 'north' } } } })
    expect(world.agent('north').stats().slotsTaken).toBe(0)
  })

  test('not when its backend was taken out meanwhile: that is noted, and another is asked', async () => {
    await using world = createHouseDouble({ backends: { north: { spares: SPARES }, south: {} } })
    world.agent('south').plays(PLAIN)
    const { call, ended } = dispatching(world)
    const exchange = await world.agent('north').next()
    await world.house.health.set({ backend: 'north', reason: 'works', forMs: null }, { actor: 'me', claim: null })
    exchange.play(status(401))
    expect((await ended).kind).toBe('answered')
    expect(tried(call)).toEqual(['cred_north denied', 'cred_south succeeded'])
    expect(call.skips).toMatchObject([{ backend: 'north', rule: 'quarantined' }])
  })

  test('one that gave trouble is not shown at another backend of its provider while others are left', async () => {
    await using world = createHouseDouble({ backends: { north: { spares: SPARES }, south: {} } })
    world.agent('south').plays(PLAIN)
    const [north, south] = candidatesOf(world)
    if (north === undefined || south === undefined) throw new Error('no candidates')
    const { provider } = north.offer.backend
    const shared = { ...provider, credentials: provider.credentials.slice(0, 2) }
    const candidates = [north, south].map((candidate) => {
      const { offer } = candidate
      return { ...candidate, offer: { ...offer, backend: { ...offer.backend, provider: shared } } }
    })
    world.agent('north').send = answering(world, 'north', [401, 500])
    const { call, ended } = dispatchingTo(world, candidates)
    expect((await ended).kind).toBe('answered')
    expect(tried(call)).toEqual(['cred_north denied', 'cred_north_1 failed', 'cred_north_1 succeeded'])
  })
})

describe('own credentials of an account', () => {
  test('that are refused at a backend count as one change of them', async () => {
    await using world = houseOf({ own_1: 401, own_2: 401, own_3: 401, own_4: 401 }, { routing: { attemptsMax: 3 } })
    const { call, ended } = dispatchingOwn(world, 4)
    expect((await ended).kind).toBe('answered')
    expect(tried(call)).toEqual([...[1, 2, 3, 4].map((at) => `own_${at} denied`), 'cred_north succeeded'])
  })

  test('make no difference to what is wrong at the backend: the next is not shown there', async () => {
    await using world = houseOf({ own_1: 500 })
    const { call, ended } = dispatchingOwn(world, 2)
    expect((await ended).kind).toBe('answered')
    expect(tried(call)).toEqual(['own_1 failed', 'cred_north succeeded'])
    const [north, south] = candidatesOf(world)
    if (north === undefined || south === undefined) throw new Error('no candidates')
    const own = dispatchingTo(
      world,
      [north, north, south].map((candidate, at) => ({ ...candidate, own: ownOf(at + 1) })),
    )
    expect((await own.ended).kind).toBe('answered')
    expect(tried(own.call)).toEqual(['own_1 failed', 'own_3 succeeded'])
  })

  test('that are all there was to try: their account is told to change them', async () => {
    await using world = houseOf({ own_1: 401 })
    const [north] = candidatesOf(world)
    if (north === undefined) throw new Error('no candidate')
    const rejected = async (candidates: readonly AffordableCandidate[]) => {
      const end = await dispatchingTo(world, candidates).ended
      return end.kind === 'unserved' ? end.error : end.kind
    }
    expect(await rejected([{ ...north, own: ownOf(1) }])).toMatchObject({
      code: 'upstream_credentials_rejected',
      message: expect.stringContaining('own credential of your account'),
    })
    expect(await rejected([{ ...north, own: ownOf(1) }, north])).toBe('answered')
  })

  test('that were in fault are tried by one request, which gives that up whatever comes of it', async () => {
    for (const code of [200, 401]) {
      await using world = houseOf(code === 200 ? {} : { own_1: code })
      const begin = spyOn(world.house.health, 'beginOwnTrial').mockReturnValue(true)
      const end = spyOn(world.house.health, 'endOwnTrial')
      await dispatchingOwn(world, 1).ended
      expect(begin).toHaveBeenCalledTimes(1)
      expect(end.mock.calls).toMatchObject([[{ id: 'own_1' }]])
    }
  })
})

const ownOf = (number: number) => {
  const secret = `own_${number}`
  return { id: secret, accountId: 'acc', provider: 'acme', baseUrl: null, sealed: 's', secret, fault: null }
}

/** A call whose account has so many credentials of its own for the first backend; the operator's come after them. */
function dispatchingOwn(world: HouseDouble, count: number) {
  const [north, ...others] = candidatesOf(world)
  if (north === undefined) throw new Error('no candidates')
  const owns = Array.from({ length: count }, (_, at) => ({ ...north, own: ownOf(at + 1) }))
  return dispatchingTo(world, [...owns, north, ...others])
}

function dispatchingTo(world: HouseDouble, candidates: readonly AffordableCandidate[]) {
  const { call } = callAt(world)
  const { attemptsMax } = call.settings.routing
  call.clock.enter('wait')
  return { call, ended: dispatch(world.house, call, { candidates, prepared: preparedOf(), model: MODEL, attemptsMax }) }
}

/** An agent that answers its requests in turn with these statuses. */
function answering(world: HouseDouble, name: string, codes: number[]): Agent['send'] {
  const agent = world.agent(name)
  const { send } = agent
  return (...args) => {
    agent.plays(status(codes.shift() ?? 500))
    return send.apply(agent, args)
  }
}
