import { expect, test } from 'bun:test'
import { placeForFiles } from '../../../../src/pipeline/kept/place-for-files.ts'
import { type BackendSpec, createHouseDouble } from '../../../support/house.ts'
import { secretOf } from '../kept-kit.ts'
import { worldOf } from '../route/route-kit.ts'

function placeOf(backends: Readonly<Record<string, BackendSpec>>, pin?: string, hasOwn = false) {
  const world = createHouseDouble({ backends })
  const { context } = worldOf()
  const provider = world.offers()[0]?.backend.provider.id ?? ''
  const own = hasOwn ? [secretOf('cred_1', provider)] : []
  return placeForFiles(world.house, { ...context, own }, pin)
}

test('the first backend that may be used, with what it is shown', () => {
  expect(placeOf({ north: {}, south: {} })).toMatchObject({ backend: { id: 'north' }, isOwn: false })
  expect(placeOf({ north: {} }, undefined, true)).toMatchObject({ credential: { id: 'cred_1' }, isOwn: true })
})

test('a credential that is in no trouble', () => {
  const world = createHouseDouble({ backends: { north: { credential: 'first', spares: ['second'] } } })
  const { house } = world
  const [offer] = world.offers()
  if (offer === undefined) throw new Error('no offer')
  const [first, second] = offer.backend.provider.credentials
  const claim = house.health.claim(offer.backend, false)
  if (typeof claim === 'string' || first === undefined) throw new Error('not in')
  const error = { status: 401, message: 'no', type: null, code: null, param: null }
  house.health.attemptEnded({
    claim,
    offer: offer.id,
    accountId: 'acc',
    credential: first,
    outcome: { kind: 'denied', error },
    sent: true,
    blame: 'credential',
  })
  expect(placeForFiles(house, worldOf().context, undefined)).toMatchObject({ credential: second ?? null })
})

test('nobody, told as for any request', () => {
  expect(() => placeOf({ north: {} }, 'elsewhere')).toThrow(/No backend of the model/)
  expect(() => placeOf({})).toThrow()
})
