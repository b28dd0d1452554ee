import { expect, test } from 'bun:test'
import { permitted } from '../../../../../src/pipeline/route/rules/permitted.ts'
import { candidateOf, type WorldSpec, worldOf } from '../route-kit.ts'

function skipped(spec: WorldSpec) {
  const world = worldOf(spec)
  return permitted.skip(candidateOf(world, 'acme/large', 'north'), world, { model: 'acme/large' })
}

test('a key without a list may use every model, one with a list those on it', () => {
  expect(skipped({})).toBeNull()
  expect(skipped({ models: ['acme/small', 'acme/large'] })).toBeNull()
})

test('drops what is not on the list; an empty list permits nothing', () => {
  expect(skipped({ models: ['acme/small'] })).toEqual({ reason: 'the key may not use this model' })
  expect(skipped({ models: [] })).not.toBeNull()
})
