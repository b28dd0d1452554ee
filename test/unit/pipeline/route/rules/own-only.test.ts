import { expect, test } from 'bun:test'
import type { OwnSecret } from '../../../../../src/domain/index.ts'
import { route } from '../../../../../src/pipeline/route/index.ts'
import { modelOf } from '../../../catalogue/support.ts'
import { ownSecret, worldOf } from '../route-kit.ts'
import { routerWorld } from '../router-kit.ts'
import { backendAt } from './policy-kit.ts'

function planOf(own: readonly OwnSecret[], byokFallback: 'shared' | 'never') {
  const world = worldOf({ own })
  const context = { ...world.context, account: { ...world.context.account, byokFallback } }
  const { candidates, skips } = route({ ...world, context }, { model: 'acme/large' })
  return { candidates: candidates.map((one) => [one.offer.backend.id, one.own?.id]), skips }
}

test('an account that does not fall back has its own credentials tried alone, wherever it has any for the model', () => {
  const { candidates, skips } = planOf([ownSecret('cred_1')], 'never')
  expect(candidates).toEqual([
    ['north', 'cred_1'],
    ['south', 'cred_1'],
  ])
  expect(skips.map(({ backend, rule }) => [backend, rule])).toEqual([
    ['north', 'own-only'],
    ['south', 'own-only'],
  ])
})

test('one for any offer of the model is enough: nobody else’s credential serves it', () => {
  const models = [
    modelOf('acme/m', [
      [backendAt({ id: 'north' }), { price: { input: 1, output: 1 } }],
      [backendAt({ id: 'south', provider: 'other' }), { price: { input: 1, output: 1 } }],
    ]),
  ]
  const { catalogue } = routerWorld(models).world
  const own = [ownSecret('cred_1', 'acme'), ownSecret('cred_2', 'third')]
  const world = { ...worldOf({ own, account: { byokFallback: 'never' } }), catalogue }
  const { candidates, skips } = route(world, { model: 'acme/m' })
  expect(candidates.map((one) => [one.offer.backend.id, one.own?.id])).toEqual([['north', 'cred_1']])
  expect(skips.map(({ backend, rule }) => [backend, rule])).toEqual([
    ['north', 'own-only'],
    ['south', 'own-only'],
  ])
})

test("where it has none the operator's serve it; so they do where it falls back", () => {
  for (const own of [[], [ownSecret('cred_1', 'another provider')]]) {
    const { candidates, skips } = planOf(own, 'never')
    expect(candidates).toEqual([
      ['north', undefined],
      ['south', undefined],
    ])
    expect(skips).toEqual([])
  }
  expect(planOf([ownSecret('cred_1')], 'shared').candidates).toHaveLength(4)
})
