import { expect, test } from 'bun:test'
import { enabled } from '../../../../../src/pipeline/route/rules/enabled.ts'
import { candidateOf, worldOf } from '../route-kit.ts'

const world = worldOf()
const skipped = (backend: string) =>
  enabled.skip(candidateOf(world, 'acme/small', backend), world, { model: 'acme/small' })

test('keeps what is switched on', () => {
  expect(skipped('south')).toBeNull()
})

test('drops an offer, or a whole backend, that is switched off', () => {
  expect(skipped('north')).toEqual({ reason: 'the offer is disabled' })
  expect(skipped('off')).toEqual({ reason: 'the backend is disabled' })
})
