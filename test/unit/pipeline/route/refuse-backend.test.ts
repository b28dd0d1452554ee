import { expect, test } from 'bun:test'
import { DEFAULT_POLICY, mergePolicies, type Policy } from '../../../../src/domain/index.ts'
import { refuseBackend } from '../../../../src/pipeline/route/refuse-backend.ts'
import { backendOf } from '../../catalogue/support.ts'
import { worldOf } from './route-kit.ts'

function refusal(policy: Partial<Policy>, isFed: boolean, homeRegions: readonly string[] = []): unknown {
  const bounds = { ...worldOf(), policy: mergePolicies({ ...DEFAULT_POLICY, ...policy }), homeRegions }
  try {
    refuseBackend(bounds, backendOf('north'), isFed)
    return null
  } catch (error) {
    return error
  }
}

test.each<[string, Partial<Policy>, readonly string[], string]>([
  ['who stays at home', {}, ['ca'], 'region_restricted'],
  ['who names regions', { regions: ['ca'] }, [], 'region_restricted'],
  ['who names owners', { ownerships: ['ca'] }, [], 'region_restricted'],
  ['who names other providers', { only: ['south'] }, [], 'model_not_permitted'],
  ['who leaves it out', { ignore: ['north'] }, [], 'model_not_permitted'],
])('%s, whatever is asked', (_name, policy, home, code) => {
  for (const isFed of [true, false]) expect(refusal(policy, isFed, home)).toMatchObject({ code })
})

test('who wants nothing kept, or used: what is there may be seen and taken away, not worked on', () => {
  for (const policy of [{ zeroRetention: true }, { allowTraining: false }]) {
    expect(refusal(policy, false)).toBeNull()
    expect(refusal(policy, true)).toMatchObject({ code: 'privacy_restricted' })
  }
})

test('who may use it', () => {
  expect(refusal({ only: ['north'] }, true)).toBeNull()
  expect(refusal({ allowForeign: true }, true, ['ca'])).toBeNull()
})
