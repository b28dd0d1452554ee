import { expect, test } from 'bun:test'
import { route } from '../../../../../src/pipeline/route/index.ts'
import { ownFirst } from '../../../../../src/pipeline/route/rules/own-first.ts'
import { candidateOf, ownSecret, worldOf } from '../route-kit.ts'

test('own credentials come first, by offer and then in the order of their creation; then the operator’s', () => {
  const one = ownSecret('cred_1')
  const two = ownSecret('cred_2')
  const world = worldOf({ own: [one, two, ownSecret('cred_3', 'another provider')] })
  const { candidates, skips } = route(world, { model: 'acme/large' })
  expect(candidates.map(({ offer, own }) => [offer.backend.id, own?.id])).toEqual([
    ['north', 'cred_1'],
    ['north', 'cred_2'],
    ['south', 'cred_1'],
    ['south', 'cred_2'],
    ['north', undefined],
    ['south', undefined],
  ])
  expect(skips).toEqual([])
})

test('its key tells own from the operator’s', () => {
  const world = worldOf()
  const candidate = candidateOf(world, 'acme/large', 'north')
  expect(ownFirst.key({ ...candidate, own: ownSecret('cred_1') }, world, { model: '' })).toBe(0)
  expect(ownFirst.key(candidate, world, { model: '' })).toBe(1)
})
