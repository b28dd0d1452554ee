import { describe, expect, test } from 'bun:test'
import { DEFAULT_POLICY, type Policy } from '../../../../../src/domain/index.ts'
import { sovereignty } from '../../../../../src/pipeline/route/rules/sovereignty.ts'
import { worldOf } from '../route-kit.ts'
import { candidateAt, type PlaceSpec } from './policy-kit.ts'

interface Spec {
  readonly home?: readonly string[]
  readonly account?: Partial<Policy>
  readonly key?: Partial<Policy>
}

function skipped(place: PlaceSpec, { home = [], account = {}, key = {} }: Spec = {}) {
  const terms = { policy: { ...DEFAULT_POLICY, ...account } }
  return sovereignty.skip(candidateAt(place), worldOf({ homeRegions: home, account: terms, policy: key }))
}

describe('home regions', () => {
  const home = ['ca']

  test('without them all is home', () => {
    expect(skipped({ region: 'us' })).toBeNull()
    expect(skipped({})).toBeNull()
  })

  test('what runs there stays, whoever owns it, with the parts of a region', () => {
    expect(skipped({ region: 'ca', ownership: 'us' }, { home })).toBeNull()
    expect(skipped({ region: 'ca-central-1' }, { home })).toBeNull()
  })

  test('all else is dropped, with the evidence', () => {
    const reason = 'the backend is outside the home regions'
    const tail = 'home is ca: account and key must both allow foreign backends'
    expect(skipped({ region: 'us', ownership: 'ca' }, { home })).toEqual({ reason, evidence: `it runs in us, ${tail}` })
    expect(skipped({}, { home })).toEqual({ reason, evidence: `it runs in an unknown region, ${tail}` })
    expect(skipped({ region: 'cat' }, { home })).not.toBeNull()
  })

  test('account and key must both let it leave', () => {
    const allow = { allowForeign: true }
    expect(skipped({ region: 'us' }, { home, account: allow })).not.toBeNull()
    expect(skipped({ region: 'us' }, { home, key: allow })).not.toBeNull()
    expect(skipped({ region: 'us' }, { home, account: allow, key: allow })).toBeNull()
  })
})

test.each<[string, Spec, boolean]>([
  ['nothing', {}, false],
  ['home regions', { home: ['ca'] }, true],
  [
    'home regions that may be left',
    { home: ['ca'], account: { allowForeign: true }, key: { allowForeign: true } },
    false,
  ],
  ['regions', { key: { regions: ['ca'] } }, true],
  ['ownerships', { account: { ownerships: ['ca'] } }, true],
])('applies where %s stand in the way', (_what, { home = [], account = {}, key = {} }, expected) => {
  const terms = { policy: { ...DEFAULT_POLICY, ...account } }
  const world = worldOf({ homeRegions: home, account: terms, policy: key })
  expect(sovereignty.applies({ model: 'acme/m' }, world)).toBe(expected)
})

describe('bounds of account and key', () => {
  test('regions: a backend must be in one that both name', () => {
    expect(skipped({ region: 'eu-west' }, { key: { regions: ['eu', 'ca'] } })).toBeNull()
    expect(skipped({ region: 'us' }, { key: { regions: ['eu', 'ca'] } })).toEqual({
      reason: 'the backend runs in a region that may not be used',
      evidence: 'it runs in us, account and key allow eu, ca',
    })
    expect(skipped({}, { account: { regions: ['eu'] } })).not.toBeNull()
    const both = { account: { regions: ['eu'] }, key: { regions: ['eu-west', 'us'] } }
    expect(skipped({ region: 'eu-west-2' }, both)).toBeNull()
    expect(skipped({ region: 'eu-north' }, both)).not.toBeNull()
    expect(skipped({ region: 'us' }, both)).not.toBeNull()
  })

  test('ownerships: an owner that is not known is none of them', () => {
    expect(skipped({ ownership: 'ca' }, { key: { ownerships: ['ca'] } })).toBeNull()
    const reason = 'the owner of the provider is of a country that may not be used'
    expect(skipped({ ownership: 'us' }, { key: { ownerships: ['ca'] } })).toEqual({
      reason,
      evidence: 'its owner is of us, account and key allow ca',
    })
    expect(skipped({}, { account: { ownerships: ['ca'] } })).toMatchObject({ reason })
    expect(skipped({ ownership: 'ca' }, { account: { ownerships: ['ca'] }, key: { ownerships: ['us'] } })).toEqual({
      reason,
      evidence: 'its owner is of ca, account and key allow none',
    })
  })
})
