import { expect, test } from 'bun:test'
import { catalogueOrder } from '../../../../../src/pipeline/route/rules/catalogue-order.ts'
import { candidateOf, worldOf } from '../route-kit.ts'

test('smaller the further in front the operator put it, whatever it is', () => {
  const world = worldOf()
  const candidates = [candidateOf(world, 'acme/large', 'south'), candidateOf(world, 'acme/large', 'north')]
  const keys = candidates.map((candidate, at) => catalogueOrder.key(candidate, at, world, { model: 'acme/large' }))
  expect(keys).toEqual([0, 1])
})
