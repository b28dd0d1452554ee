import { expect, test } from 'bun:test'
import { ordered } from '../../../../../src/pipeline/route/ordered.ts'
import { sticky } from '../../../../../src/pipeline/route/rules/sticky.ts'
import { worldOf } from '../route-kit.ts'
import { offerAt, PLAIN, rankedBy, seenWorld, wishing } from '../wish-kit.ts'

const all = ['north', 'south', 'east'].map((id) => offerAt({ id, provider: `${id}-inc` }))
const staying = (backend: string, model = 'acme/m') => ({
  sticky: new Map([[model, { backend, cachedTokens: 0 }]]),
})
const idsOf = (...args: Parameters<typeof ordered>) => ordered(...args).map(({ offer }) => offer.backend.id)

test("the session's backend comes first, of the model it is for", () => {
  expect(rankedBy(sticky, all, PLAIN, { ...worldOf(), ...staying('south') })).toEqual(['south', 'north', 'east'])
  expect(rankedBy(sticky, all, PLAIN, { ...worldOf(), ...staying('south', 'acme/other') })).toEqual([
    'north',
    'south',
    'east',
  ])
  expect(rankedBy(sticky, all, PLAIN)).toBeNull()
})

test("comes after the caller's order, and before what offers are sorted by", () => {
  const world = { ...seenWorld({ east: { firstContentP50Ms: 10 } }), ...staying('south') }
  const sort = { by: 'latency', acrossModels: false } as const
  expect(idsOf(all, world, wishing({ sort }))).toEqual(['south', 'east', 'north'])
  expect(idsOf(all, world, wishing({ sort, order: ['east-inc'] }))[0]).toBe('east')
})
