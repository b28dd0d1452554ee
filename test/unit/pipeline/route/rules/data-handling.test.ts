import { expect, test } from 'bun:test'
import type { DataHandling, Policy } from '../../../../../src/domain/index.ts'
import { dataHandling } from '../../../../../src/pipeline/route/rules/data-handling.ts'
import { worldOf } from '../route-kit.ts'
import { candidateAt } from './policy-kit.ts'

const skipped = (data: DataHandling | null, policy: Partial<Policy>) =>
  dataHandling.skip(candidateAt({ data }), worldOf({ policy }))

test('who asks for nothing gets everybody', () => {
  expect(skipped(null, {})).toBeNull()
  expect(skipped({ retentionDays: 30, training: true }, {})).toBeNull()
})

test('either wish is enough for it to apply', () => {
  const applies = (policy: Partial<Policy>) => dataHandling.applies({ model: 'acme/m' }, worldOf({ policy }))
  expect([applies({}), applies({ zeroRetention: true }), applies({ allowTraining: false })]).toEqual([
    false,
    true,
    true,
  ])
})

test('zero retention: providers alone that say they keep nothing', () => {
  const reason = 'the provider may keep what it is sent'
  expect(skipped({ retentionDays: 0, training: null }, { zeroRetention: true })).toBeNull()
  expect(skipped({ retentionDays: 30, training: false }, { zeroRetention: true })).toEqual({
    reason,
    evidence: 'it keeps data for 30 days',
  })
  const unknown = { reason, evidence: 'how long it keeps data is not known' }
  expect(skipped({ retentionDays: null, training: false }, { zeroRetention: true })).toEqual(unknown)
  expect(skipped(null, { zeroRetention: true })).toEqual(unknown)
})

test('no training: providers alone that say they do not', () => {
  const reason = 'the provider may train on what it is sent'
  expect(skipped({ retentionDays: 30, training: false }, { allowTraining: false })).toBeNull()
  expect(skipped({ retentionDays: 0, training: true }, { allowTraining: false })).toEqual({
    reason,
    evidence: 'it trains on data',
  })
  const unknown = { reason, evidence: 'whether it trains on data is not known' }
  expect(skipped({ retentionDays: 0, training: null }, { allowTraining: false })).toEqual(unknown)
  expect(skipped(null, { allowTraining: false })).toEqual(unknown)
})
