import { expect, test } from 'bun:test'
import { homeTier } from '../../../../../src/pipeline/route/rules/home-tier.ts'
import { worldOf } from '../route-kit.ts'
import { candidateAt, type PlaceSpec } from './policy-kit.ts'

const tierOf = (place: PlaceSpec, homeRegions: readonly string[]) =>
  homeTier.key(candidateAt(place), worldOf({ homeRegions }), { model: 'acme/m' })

test('home by region and owner, home by region, abroad', () => {
  const home = ['ca']
  expect(tierOf({ region: 'ca', ownership: 'ca' }, home)).toBe(0)
  expect(tierOf({ region: 'ca-central', ownership: 'ca' }, home)).toBe(0)
  expect(tierOf({ region: 'ca', ownership: 'us' }, home)).toBe(1)
  expect(tierOf({ region: 'ca' }, home)).toBe(1)
  expect(tierOf({ region: 'us', ownership: 'ca' }, home)).toBe(2)
  expect(tierOf({ ownership: 'ca' }, home)).toBe(2)
})

test('the country of a home that is a part of it is an owner at home', () => {
  expect(tierOf({ region: 'ca-central', ownership: 'ca' }, ['ca-central'])).toBe(0)
  expect(tierOf({ region: 'ca-east', ownership: 'ca' }, ['ca-central'])).toBe(2)
})

test('without home regions all is equal', () => {
  expect(tierOf({ region: 'us', ownership: 'us' }, [])).toBe(tierOf({ region: 'ca', ownership: 'ca' }, []))
})
