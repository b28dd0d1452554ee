import { describe, expect, test } from 'bun:test'
import { createHouseDouble, type HouseDouble, type HouseSpec } from '../../../support/house.ts'
import { status } from '../../../support/script.ts'
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
})
