import { expect, test } from 'bun:test'
import { ownPlaceId } from '../../../../src/domain/index.ts'
import { route } from '../../../../src/pipeline/route/route.ts'
import { ownPlace, withOwn } from '../../../../src/pipeline/route/with-own.ts'
import { candidateOf, ownSecret, worldOf } from './route-kit.ts'

const PLACE = 'https://llm.customer.example/v1'
const own = ownSecret('cred_1', undefined, PLACE)

test('a credential with a place of its own makes one candidate there, before all others, and none at the backends', () => {
  const plan = route(worldOf({ own: [own] }), { model: 'acme/large' })
  const without = route(worldOf({}), { model: 'acme/large' })
  const [first, ...others] = plan.candidates
  expect(first).toMatchObject({
    own: { id: 'cred_1' },
    offer: {
      id: `${ownPlaceId(own)}/acme/large`,
      providerModel: without.candidates[0]?.offer.providerModel,
      backend: { id: ownPlaceId(own), baseUrl: PLACE, region: null, proxy: null, ping: null, resend: 'never' },
    },
  })
  expect(first?.offer.backend.provider.credentials).toEqual([])
  expect(others.map(({ offer }) => offer.id)).toEqual(without.candidates.map(({ offer }) => offer.id))
  expect(others.every((candidate) => candidate.own === undefined)).toBe(true)
})

test('it is a backend of 32 slots, in the provider’s dialects and with the limits of its first backend', () => {
  const { backend } = candidateOf(worldOf(), 'acme/large', 'north').offer
  const limits = { ...backend.limits, totalMs: 7 }
  const provider = { ...backend.provider, dialects: ['anthropic'] as const }
  expect(ownPlace(own, PLACE, { provider, limits })).toMatchObject({
    dialects: ['anthropic'],
    slots: 32,
    tls: { caPem: null, client: null },
    limits,
  })
})

test('it goes by an offer that is switched on, where there is one', () => {
  expect(route(worldOf({ own: [own] }), { model: 'acme/small' }).candidates[0]?.own?.id).toBe('cred_1')
  const world = worldOf({ own: [own] })
  const off = candidateOf(world, 'acme/small', 'north')
  const [there] = withOwn([off], [own])
  expect(there).toMatchObject({ offer: { enabled: false, backend: { id: ownPlaceId(own) } }, own: { id: 'cred_1' } })
})

test('it serves the models of its provider alone', () => {
  const other = ownSecret('cred_1', 'nobody', PLACE)
  const plan = route(worldOf({ own: [other] }), { model: 'acme/large' })
  expect(plan.candidates).not.toBeEmpty()
  expect(plan.candidates.every((candidate) => candidate.own === undefined)).toBe(true)
})

test('nobody knows where it runs: what may not leave home does not go there', () => {
  const world = worldOf({ own: [own] })
  const homely = { ...world, homeRegions: ['ca'], policy: { ...world.policy, allowForeign: false } }
  const plan = route(homely, { model: 'acme/large' })
  expect(plan.skips).toContainEqual(
    expect.objectContaining({ backend: ownPlaceId(own), credential: 'cred_1', rule: 'sovereignty' }),
  )
})
