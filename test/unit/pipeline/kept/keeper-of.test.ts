import { describe, expect, test } from 'bun:test'
import { DEFAULT_POLICY } from '../../../../src/domain/index.ts'
import { keeperOf } from '../../../../src/pipeline/kept/keeper-of.ts'
import { fakeClock } from '../../../support/fake-clock.ts'
import { backendOf } from '../../catalogue/support.ts'
import { secretOf, thingOf } from '../kept-kit.ts'
import { worldOf } from '../route/route-kit.ts'

const main = { id: 'main', secret: 's1' }
const spare = { id: 'spare', secret: 's2' }
const plain = backendOf('north')
const north = { ...plain, provider: { ...plain.provider, credentials: [main, spare] } }
const off = backendOf('off', false)
const backends = new Map([north, off].map((backend) => [backend.id, backend]))
const mine = secretOf('cred_1', north.provider.id)
const placed = secretOf('cred_2', north.provider.id, 'https://own.example/v1')

type Chance = ReturnType<Parameters<typeof keeperOf>[0]['health']['chanceOf']>

/** Rooms where home is `home`, and a backend is as it is said. */
function roomsOf(chance: Chance, home: readonly string[], untilMs: number | null = null) {
  const clock = fakeClock()
  const exclusion = { cause: 'operator', reason: 'a flood', by: 'local:7', sinceMs: 0, untilMs } as const
  return {
    clock,
    catalogue: () => ({ backends }),
    settings: () => ({ routing: { homeRegions: home } }),
    health: { chanceOf: () => chance, exclusion: () => (chance === 'out' ? exclusion : null) },
  } as unknown as Parameters<typeof keeperOf>[0]
}

const keeper = (fields: Parameters<typeof thingOf>[0], own = [mine, placed]) =>
  keeperOf(roomsOf('free', []), worldOf({ own }).context, thingOf(fields))

describe('the backend, and the credential that it was made with', () => {
  test.each([
    ['the operator’s', { credential: 'spare' }, spare],
    ['one that is there no more', { credential: 'gone' }, main],
    ['none', { credential: null }, main],
    ['the account’s own', { credential: 'cred_1', isOwn: true }, mine],
  ])('%s', (_name, fields, credential) => expect(keeper(fields)).toEqual({ backend: north, credential }))

  test('at a place of the account’s own', () => {
    const { backend, credential } = keeper({ backend: 'own:cred_2', credential: 'cred_2', isOwn: true })
    expect([backend.id, backend.baseUrl, credential]).toEqual(['own:cred_2', 'https://own.example/v1', placed])
  })
})

describe('who is there no more', () => {
  test.each([
    ['the backend', { backend: 'gone' }],
    ['a backend that is switched off', { backend: 'off' }],
    ['the own credential', { credential: 'gone', isOwn: true }],
    ['the backend of an own credential', { backend: 'gone', credential: 'cred_1', isOwn: true }],
  ])('%s', (_name, fields) => expect(() => keeper(fields)).toThrow(/not in use any more/))

  test('the provider of a place', () => {
    const own = [secretOf('cred_3', 'gone', 'https://own.example')]
    expect(() => keeper({ credential: 'cred_3', isOwn: true }, own)).toThrow('The provider that keeps it')
  })
})

test('account and key bind who asks', () => {
  const { context } = worldOf({ account: { policy: { ...DEFAULT_POLICY, zeroRetention: true } } })
  const asked = (home: readonly string[], isFed?: boolean) => keeperOf(roomsOf('free', home), context, thingOf(), isFed)
  expect(() => asked(['ca'])).toThrow(expect.objectContaining({ code: 'region_restricted' }))
  expect(() => asked([], true)).toThrow(expect.objectContaining({ code: 'privacy_restricted' }))
  expect(asked([])).toMatchObject({ backend: north })
})

describe('a backend that is out', () => {
  const asked = (chance: Chance, untilMs?: number) =>
    keeperOf(roomsOf(chance, [], untilMs), worldOf().context, thingOf())

  test('is not asked, and it is told how long', () => {
    const untilMs = fakeClock().wallMs() + 7000
    expect(() => asked('out', untilMs)).toThrow(
      expect.objectContaining({ code: 'no_backend', details: { retryAfterMs: 7000 } }),
    )
    expect(() => asked('out')).toThrow(expect.objectContaining({ details: { retryAfterMs: 30_000 } }))
  })

  test('for failures alone, or on trial, is asked: no other can answer', () => {
    expect(asked('trial_running')).toMatchObject({ backend: north })
    expect(asked('free')).toMatchObject({ backend: north })
  })
})
