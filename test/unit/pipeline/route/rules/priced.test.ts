import { expect, test } from 'bun:test'
import { priced } from '../../../../../src/pipeline/route/rules/priced.ts'
import { candidateOf, type WorldSpec, worldOf } from '../route-kit.ts'

function skipped(backend: string, spec: WorldSpec = {}) {
  const world = worldOf(spec)
  return priced.skip(candidateOf(world, 'acme/unpriced', backend), world, { model: 'acme/unpriced' })
}

test('keeps what has a price', () => {
  expect(skipped('south')).toBeNull()
})

test('what has none serves unmetered accounts alone', () => {
  expect(skipped('north')).toEqual({ reason: 'the offer has no price, so it serves unmetered accounts only' })
  expect(skipped('north', { kind: 'unmetered' })).toBeNull()
})
