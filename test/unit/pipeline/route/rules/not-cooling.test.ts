import { expect, test } from 'bun:test'
import { notCooling } from '../../../../../src/pipeline/route/rules/not-cooling.ts'
import { candidateOf, NOW_MS, worldOf } from '../route-kit.ts'

const cooling = { sinceMs: NOW_MS - 5, untilMs: NOW_MS + 60_000, backoffMs: 60_005, evidence: 'failed (status)' }

test('drops what this account leaves alone, until its time is over; the evidence is for operators', () => {
  const world = { ...worldOf(), coolings: new Map([['south', cooling]]) }
  const skip = (backend: string, nowMs = NOW_MS) =>
    notCooling.skip(candidateOf(world, 'acme/large', backend), { ...world, nowMs }, { model: 'acme/large' })
  expect(skip('south')).toEqual({
    reason: 'the backend fails the requests of this account',
    evidence: 'failed (status)',
    untilMs: NOW_MS + 60_000,
  })
  expect(skip('south', NOW_MS + 60_000)).toBeNull()
  expect(skip('north')).toBeNull()
})
