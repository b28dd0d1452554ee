import { expect, test } from 'bun:test'
import { NO_CAUSES, type OperatorCredential } from '../../../../../src/domain/index.ts'
import { credentialsFor, notQuarantined } from '../../../../../src/pipeline/route/rules/not-quarantined.ts'
import { candidateOf, NOW_MS, ownSecret, worldOf } from '../route-kit.ts'

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

test('what is found by failures has nobody who set it', () => {
  const world = worldOf()
  const failures = { sinceMs: NOW_MS - 5000, untilMs: NOW_MS + 5, backoffMs: 1, count: 5, streak: 5, lastStatus: 500 }
  const row = { ...NO_CAUSES, backend: 'south', version: 1, failures: { ...failures, evidence: 'seen' } }
  const candidate = candidateOf(world, 'acme/large', 'south')
  const skip = notQuarantined.skip(
    candidate,
    { ...world, quarantine: new Map([['south', row]]) },
    { model: 'acme/large' },
  )
  expect(skip?.evidence).toStartWith('failures since 2027-01-15T07:59:55.000Z until ')
})

test('the operator’s credentials are no matter of an own one', () => {
  const candidate = candidateOf(worldOf(), 'acme/large', 'south')
  const credential: OperatorCredential = { id: 'cred', secret: 'sk' }
  const backend = {
    ...candidate.offer.backend,
    provider: { ...candidate.offer.backend.provider, credentials: [credential] },
  }
  const with1 = { offer: { ...candidate.offer, backend } }
  expect(credentialsFor(with1)).toEqual([credential])
  expect(credentialsFor({ ...with1, own: ownSecret('cred_1') })).toEqual([])
})
