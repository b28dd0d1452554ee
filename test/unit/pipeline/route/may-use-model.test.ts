import { expect, test } from 'bun:test'
import { mayUseModel } from '../../../../src/pipeline/route/may-use-model.ts'
import { modelOf } from '../../catalogue/support.ts'
import { type WorldSpec, worldOf } from './route-kit.ts'
import type { PlaceSpec } from './rules/policy-kit.ts'
import { backendAt } from './rules/policy-kit.ts'

const mayUse = (spec: WorldSpec, ...places: PlaceSpec[]) =>
  mayUseModel(
    worldOf(spec),
    modelOf(
      'acme/m',
      places.map((place) => [backendAt(place)] as const),
    ),
  )

test('one offer that account and key allow is enough', () => {
  const home = { homeRegions: ['ca'] }
  expect(mayUse(home, { region: 'us' }, { region: 'ca' })).toBe(true)
  expect(mayUse(home, { region: 'us' }, {})).toBe(false)
  expect(mayUse({ policy: { zeroRetention: true } }, {})).toBe(false)
  expect(mayUse({ policy: { ignore: ['acme'] } }, {})).toBe(false)
})

test('a model without offers goes by its name', () => {
  expect(mayUse({})).toBe(true)
  expect(mayUse({ models: ['acme/other'] })).toBe(false)
  expect(mayUse({ account: { models: ['acme/other'] } })).toBe(false)
  expect(mayUse({ account: { models: ['acme/m'] }, models: ['acme/m'] })).toBe(true)
})

test('a router model that was asked for stands for its models', () => {
  const model = modelOf('acme/m', [[backendAt({})]])
  const bounds = worldOf({ models: ['r'] })
  expect([mayUseModel(bounds, model, 'r'), mayUseModel(bounds, model, 's'), mayUseModel(bounds, model)]).toEqual([
    true,
    false,
    false,
  ])
})
