import { expect, test } from 'bun:test'
import { NO_PREFERENCES, type Preferences } from '../../../../src/domain/index.ts'
import { boundByWish } from '../../../../src/pipeline/route/bound-by-wish.ts'
import { type WorldSpec, worldOf } from './route-kit.ts'

const policyOf = (spec: WorldSpec, preferences?: Partial<Preferences>) => {
  const asked = preferences === undefined ? {} : { preferences: { ...NO_PREFERENCES, ...preferences } }
  const request = { choices: 1, outputLimit: null, promptMediaUnits: 0, promptTextBytes: 5, ...asked }
  return boundByWish(worldOf(spec), { model: 'acme/large', request }).policy
}

test('a request that asks for nothing has the world as it is', () => {
  const world = worldOf()
  expect(boundByWish(world, { model: 'acme/large' })).toBe(world)
  expect(policyOf({})).toEqual(world.policy)
  expect(policyOf({}, {})).toEqual(world.policy)
})

test('it can ask for more care than account and key, never for less', () => {
  expect(policyOf({}, { denyDataCollection: true })).toMatchObject({ allowTraining: false, zeroRetention: false })
  expect(policyOf({}, { zeroRetention: true })).toMatchObject({ allowTraining: true, zeroRetention: true })
  const strict = { policy: { zeroRetention: true, allowTraining: false } }
  expect(policyOf(strict, { zeroRetention: true })).toMatchObject(strict.policy)
  expect(policyOf(strict, { denyDataCollection: false, zeroRetention: false })).toMatchObject(strict.policy)
  expect(policyOf({}, { zeroRetention: true }).allowForeign).toBe(false)
})
