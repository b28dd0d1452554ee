import { expect, test } from 'bun:test'
import { placeForFiles } from '../../../src/pipeline/place-for-files.ts'
import { type BackendSpec, createHouseDouble } from '../../support/house.ts'
import { secretOf } from './kept-kit.ts'
import { worldOf } from './route/route-kit.ts'

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

test('nobody, told as for any request', () => {
  expect(() => placeOf({ north: {} }, 'elsewhere')).toThrow(/No backend of the model/)
  expect(() => placeOf({})).toThrow()
})
