import { describe, expect, test } from 'bun:test'
import {
  DEFAULT_POLICY,
  isHome,
  isInRegions,
  mergePolicies,
  narrowed,
  type Policy,
  UNBOUND_POLICY,
} from '../../../src/domain/index.ts'

const UNBOUND = {
  allowForeign: true,
  regions: null,
  ownerships: null,
  zeroRetention: false,
  allowTraining: true,
  only: [],
  ignore: null,
}
const policy = (fields: Partial<Policy>): Policy => ({ ...UNBOUND_POLICY, ...fields })
/** What two policies with these fields allow together, whatever their order. */
function together(one: Partial<Policy>, other: Partial<Policy>) {
  const merged = mergePolicies(policy(one), policy(other))
  expect(mergePolicies(null, policy(one), null, policy(other))).toEqual(merged)
  return merged
}

describe('policies together', () => {
  test('nobody binds, nothing is bound; the usual policy alone keeps a request at home', () => {
    expect(mergePolicies()).toEqual(UNBOUND)
    expect(mergePolicies(null, UNBOUND_POLICY)).toEqual(UNBOUND)
    expect(mergePolicies(DEFAULT_POLICY, DEFAULT_POLICY)).toEqual({ ...UNBOUND, allowForeign: false })
    expect(mergePolicies(DEFAULT_POLICY, DEFAULT_POLICY)).toBe(mergePolicies(DEFAULT_POLICY)) // nothing is made
  })

  test('the usual one takes no bound of another away', () => {
    const bound = policy({ allowForeign: true, regions: ['ca'], zeroRetention: true })
    const expected = { ...UNBOUND, allowForeign: false, regions: ['ca'], zeroRetention: true }
    expect(mergePolicies(bound, DEFAULT_POLICY)).toEqual(expected)
    expect(mergePolicies(DEFAULT_POLICY, bound)).toEqual(expected)
    expect(narrowed(mergePolicies(bound), DEFAULT_POLICY)).toEqual(expected)
  })

  test('what either refuses is refused', () => {
    expect(together({ allowForeign: false }, {}).allowForeign).toBe(false)
    expect(together({}, { allowForeign: false }).allowForeign).toBe(false)
    expect(together({ zeroRetention: true }, {}).zeroRetention).toBe(true)
    expect(together({}, { zeroRetention: true }).zeroRetention).toBe(true)
    expect(together({ allowTraining: false }, {}).allowTraining).toBe(false)
    expect(together({}, { allowTraining: false }).allowTraining).toBe(false)
    expect(together({}, {})).toEqual(UNBOUND)
  })

  test('regions: those of both, of a region and a part of it the part', () => {
    expect(together({ regions: ['ca', 'us'] }, {}).regions).toEqual(['ca', 'us'])
    expect(together({}, { regions: ['ca'] }).regions).toEqual(['ca'])
    expect(together({ regions: ['ca', 'us'] }, { regions: ['us', 'fr'] }).regions).toEqual(['us'])
    expect(together({ regions: ['ca', 'us-east'] }, { regions: ['ca-east', 'us'] }).regions).toEqual([
      'us-east',
      'ca-east',
    ])
    expect(together({ regions: ['ca'] }, { regions: ['us'] }).regions).toEqual([])
  })

  test('owners of both; only what is in each list; ignored by either', () => {
    expect(together({ ownerships: ['ca', 'us'] }, { ownerships: ['us', 'fr'] }).ownerships).toEqual(['us'])
    expect(together({ ownerships: ['ca'] }, {}).ownerships).toEqual(['ca'])
    expect(together({ only: ['a', 'b'] }, { only: ['b'] }).only).toEqual([['a', 'b'], ['b']])
    expect(together({ only: ['a'] }, {}).only).toEqual([['a']])
    expect(together({ ignore: ['a', 'b'] }, { ignore: ['b', 'c'] }).ignore).toEqual(['a', 'b', 'c'])
    expect(together({}, { ignore: ['a'] }).ignore).toEqual(['a'])
  })
})

test('a region is in another that it is a part of; an unknown one is in none', () => {
  expect(['ca', 'ca-central', 'ca-central-1'].map((region) => isInRegions(region, ['us', 'ca']))).toEqual([
    true,
    true,
    true,
  ])
  expect(['cat', 'c', 'us-ca', null].map((region) => isInRegions(region, ['ca']))).toEqual([false, false, false, false])
  expect(isInRegions('ca', [])).toBe(false)
})

test('without home regions all is at home', () => {
  expect([isHome('us', []), isHome(null, [])]).toEqual([true, true])
  expect([isHome('ca-east', ['ca']), isHome('us', ['ca']), isHome(null, ['ca'])]).toEqual([true, false, false])
})
