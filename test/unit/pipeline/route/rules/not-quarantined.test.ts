import { expect, test } from 'bun:test'
import { notQuarantined } from '../../../../../src/pipeline/route/rules/not-quarantined.ts'
import { candidateOf, NOW_MS, worldOf } from '../route-kit.ts'

function skipped(untilMs: number | null, backend = 'south') {
  const world = worldOf({ out: { south: untilMs } })
  return notQuarantined.skip(candidateOf(world, 'acme/large', backend), world, { model: 'acme/large' })
}

test('drops a backend that is out, with its end; who and why are evidence', () => {
  expect(skipped(NOW_MS + 60_000)).toEqual({
    reason: 'the backend is quarantined',
    evidence: 'operator local:7 since 2027-01-15T07:59:59.000Z until 2027-01-15T08:01:00.000Z: a flood',
    untilMs: NOW_MS + 60_000,
  })
  expect(skipped(null)).toEqual({
    reason: 'the backend is quarantined',
    evidence: 'operator local:7 since 2027-01-15T07:59:59.000Z until it is cleared: a flood',
  })
})

test('keeps the others, and what has served its time', () => {
  expect(skipped(null, 'north')).toBeNull()
  expect(skipped(NOW_MS)).toBeNull()
  expect(skipped(NOW_MS + 1)).not.toBeNull()
})
