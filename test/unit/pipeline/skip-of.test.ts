import { expect, test } from 'bun:test'
import { skipOf } from '../../../src/pipeline/skip-of.ts'
import { candidateOf, ownSecret, worldOf } from './route/route-kit.ts'

test('a skip names offer, backend, rule and reason; evidence and end only when there are any', () => {
  const candidate = candidateOf(worldOf(), 'acme/large', 'north')
  const base = { offer: 'north/acme/large', backend: 'north', rule: 'priced', reason: 'no price' }
  const bare = skipOf(candidate, 'priced', { reason: 'no price' })
  expect(bare).toEqual(base)
  expect(bare).not.toHaveProperty('evidence')
  expect(bare).not.toHaveProperty('credential')
  expect(skipOf({ ...candidate, own: ownSecret('cred') }, 'priced', { reason: 'no price' })).toMatchObject({
    credential: 'cred',
  })
  expect(skipOf(candidate, 'priced', { reason: 'no price', evidence: 'row 7' })).toEqual({ ...base, evidence: 'row 7' })
  expect(skipOf(candidate, 'quarantined', { reason: 'out', untilMs: 5 })).toMatchObject({ reason: 'out', untilMs: 5 })
})
